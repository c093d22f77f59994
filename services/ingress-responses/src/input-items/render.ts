import { GatewayError, parseExact } from '@model-gateway/canonical';
import { invalid } from '../invalid.ts';
import type { Page } from './parse.ts';

type Item = Record<string, unknown>;

/** One item of an input, as JSON. @throws GatewayError if there is none of that id */
export function renderItem(input: string, id: string, wanted: string): string {
  const found = allItems(input, id, 0).find(item => item.id === wanted);
  if (!found) throw new GatewayError('not-found', `Item with id '${wanted.slice(0, 200)}' not found.`);
  return JSON.stringify(found);
}

function allItems(input: string, id: string, first: number): Item[] {
  const place = id.replace(/^[a-z]+_/, '');
  return (parseExact(input) as Item[]).map((item, i) => listed(item, `${place}_in${first + i}`));
}

/** One page of the items of an input, as JSON. @throws GatewayError if there is no item to go on from */
export function renderPage(input: string, { id, limit, order, after, first = 0 }: Page): string {
  const items = allItems(input, id, first);
  if (order === 'desc') items.reverse();
  const from = after === undefined ? 0 : items.findIndex(item => item.id === after) + 1;
  if (after !== undefined && from === 0)
    throw invalid('after', `Item with id '${after.slice(0, 200)}' not found.`);
  const data = items.slice(from, from + limit);
  return JSON.stringify({
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < items.length,
  });
}

const prefixes: Record<string, string> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** An item as it is listed: it has a type and an id, and a message's content is parts. */
function listed(item: Item, name: string): Item {
  const type = typeof item.type === 'string' ? item.type : 'role' in item ? 'message' : 'item_reference';
  const id = typeof item.id === 'string' ? item.id : `${prefixes[type] ?? 'item'}_${name}`;
  if (type !== 'message') return { ...item, type, id };
  const kind = item.role === 'assistant' ? 'output_text' : 'input_text';
  const about = kind === 'output_text' ? { annotations: [] } : {};
  const text = item.content;
  const content = typeof text === 'string' ? [{ type: kind, text, ...about }] : text;
  return { status: 'completed', ...item, type, id, content };
}
