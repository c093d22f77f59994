import { badRequest } from '../openai-error.ts';
import { isSchema } from '../responder/json-schema.ts';
import type { Item } from './item.ts';

/** Checks that calls and outputs are paired, reasoning is followed by an item, and ids are unique. @throws ApiError */
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
      throw badRequest(`No tool call found for ${noun} output with call_id ${item.call_id}.`, null, 'input');
  }
  for (const id of open) throw badRequest(`No tool output found for ${noun} ${id}.`, null, 'input');
}

function checkReasoning(items: Item[]): void {
  for (const [at, item] of items.entries()) {
    if (item.type !== 'reasoning' || leadsTo(items[at + 1])) continue;
    throw badRequest(
      `Item '${item.id ?? 'reasoning'}' of type 'reasoning' was provided without its required following item.`,
      null,
      'input',
    );
  }
}

/** True for items that may follow reasoning: those that the model makes. */
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
      throw badRequest(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        null,
        'input',
      );
    seen.add(id);
  }
}

const deepest = 32;

/** A strict schema requires all properties and allows no others. @throws ApiError */
export function checkStrict(schema: unknown, owner: string, code: string, param: string): void {
  const complain = (path: string[], what: string) => {
    const context = path.map(key => `'${key}'`).join(', ');
    throw badRequest(`Invalid schema for ${owner}: In context=(${context}), ${what}`, code, param);
  };
  check(schema, [], complain);
}

type Complain = (path: string[], what: string) => void;

function check(schema: unknown, path: string[], complain: Complain): void {
  if (!isSchema(schema) || path.length > deepest) return;
  if (isSchema(schema.properties)) checkObject(schema, schema.properties, path, complain);
  for (const key of ['properties', '$defs'])
    if (isSchema(schema[key]))
      for (const [name, inner] of Object.entries(schema[key])) check(inner, [...path, key, name], complain);
  check(schema.items, [...path, 'items'], complain);
  if (Array.isArray(schema.anyOf))
    for (const [at, inner] of schema.anyOf.entries()) check(inner, [...path, 'anyOf', String(at)], complain);
}

function checkObject(
  schema: Record<string, unknown>,
  properties: Record<string, unknown>,
  path: string[],
  complain: Complain,
): void {
  if (schema.additionalProperties !== false)
    complain(path, "'additionalProperties' is required to be supplied and to be false.");
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = Object.keys(properties).find(name => !required.includes(name));
  if (missing !== undefined)
    complain(
      path,
      `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
    );
}
