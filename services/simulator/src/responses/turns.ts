import { wrong } from '../openai-complaint.ts';
import type { Item } from './item.ts';

/** Checks that each call has its output and each output its call, that reasoning leads to something, and that no item comes twice. @throws Refusal */
export function checkItems(items: Item[]): void {
  checkPairs(items, 'function_call', 'function_call_output', 'function call');
  checkPairs(items, 'custom_tool_call', 'custom_tool_call_output', 'custom tool call');
  checkReasoning(items);
  checkIds(items);
}

function checkPairs(
  items: Item[],
  callType: 'function_call' | 'custom_tool_call',
  outputType: 'function_call_output' | 'custom_tool_call_output',
  noun: string,
): void {
  const open = new Set<string>();
  for (const item of items) {
    if (item.type === callType) open.add(item.call_id);
    if (item.type === outputType && !open.delete(item.call_id))
      throw wrong(`No tool call found for ${noun} output with call_id ${item.call_id}.`, null, 'input');
  }
  for (const id of open) throw wrong(`No tool output found for ${noun} ${id}.`, null, 'input');
}

function checkReasoning(items: Item[]): void {
  for (const [at, item] of items.entries()) {
    if (item.type !== 'reasoning' || leadsTo(items[at + 1])) continue;
    throw wrong(
      `Item '${item.id ?? 'reasoning'}' of type 'reasoning' was provided without its required following item.`,
      null,
      'input',
    );
  }
}

/** Whether reasoning may lead to it: what the model makes itself. */
function leadsTo(item: Item | undefined): boolean {
  if (!item || item.type.endsWith('_output')) return false;
  return item.type !== 'message' || item.role === 'assistant';
}

function checkIds(items: Item[]): void {
  const seen = new Set<unknown>();
  for (const item of items) {
    const id = 'id' in item ? item.id : undefined;
    if (!id) continue;
    if (seen.has(id))
      throw wrong(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        null,
        'input',
      );
    seen.add(id);
  }
}
