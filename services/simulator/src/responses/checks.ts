import { type ClientTool, flatName } from '@model-gateway/formats/responses';
import { badRequest } from '../common/openai-error.ts';
import { isSchema } from '../responder/json-value.ts';
import type { Item, Tool } from './item.ts';
import type { CountRequest } from './request.ts';

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
    const message = `Item '${item.id ?? ''}' of type 'reasoning' was provided without its required following item.`;
    throw badRequest(message, null, 'input');
  }
}

/** True for items that may follow reasoning: those of the model. */
function leadsTo(item: Item | undefined): boolean {
  if (!item || item.type.endsWith('_output')) return false;
  return item.type !== 'message' || item.role === 'assistant';
}

function checkIds(items: Item[]): void {
  const seen = new Set<unknown>();
  for (const item of items) {
    const id = 'id' in item ? item.id : undefined;
    if (!id) continue;
    if (seen.has(id)) throw badRequest(`Duplicate item found with id ${id}.`, null, 'input');
    seen.add(id);
  }
}

const maxDepth = 32;

/** A strict schema requires all properties and allows no others. @throws ApiError */
export function checkStrict(
  schema: unknown,
  owner: string,
  code: string,
  param: string,
  path: string[] = [],
): void {
  if (!isSchema(schema) || path.length > maxDepth) return;
  const problem = isSchema(schema.properties) ? strictProblem(schema, schema.properties) : null;
  const context = path.map(key => `'${key}'`).join(', ');
  if (problem)
    throw badRequest(`Invalid schema for ${owner}: In context=(${context}), ${problem}`, code, param);
  const check = (inner: unknown, ...keys: string[]) =>
    checkStrict(inner, owner, code, param, [...path, ...keys]);
  for (const key of ['properties', '$defs'])
    if (isSchema(schema[key]))
      for (const [name, inner] of Object.entries(schema[key])) check(inner, key, name);
  check(schema.items, 'items');
  if (Array.isArray(schema.anyOf))
    for (const [at, inner] of schema.anyOf.entries()) check(inner, 'anyOf', String(at));
}

function strictProblem(schema: Record<string, unknown>, properties: Record<string, unknown>): string | null {
  if (schema.additionalProperties !== false)
    return "'additionalProperties' is required to be supplied and to be false.";
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = Object.keys(properties).find(name => !required.includes(name));
  if (missing === undefined) return null;
  return `'required' is required to include every key in properties. Missing '${missing}'.`;
}

/** Checks the tools and the tool choice. @throws ApiError */
export function checkTools({ tools, tool_choice: choice }: CountRequest, items: Item[]): void {
  const offered = [
    ...(tools ?? []),
    ...items.flatMap(item => (item.type === 'additional_tools' ? item.tools : [])),
  ];
  checkSchemas(tools ?? []);
  if (choice === 'required' && offered.length === 0)
    throw badRequest("Tool choice 'required' must be specified with 'tools' parameter.", null, 'tool_choice');
  if (typeof choice !== 'object' || (choice?.type !== 'function' && choice?.type !== 'custom')) return;
  const { name, namespace } = choice as ClientTool;
  if (!offered.flatMap(namesIn).includes(`${choice.type} ${flatName(name, namespace)}`))
    throw badRequest(`Tool choice '${name}' not found in 'tools' parameter.`, null, 'tool_choice');
}

/** The type and the name of each tool of the client. */
function namesIn(tool: Tool): string[] {
  if (tool.type === 'function' || tool.type === 'custom') return [`${tool.type} ${tool.name}`];
  if (tool.type !== 'namespace') return [];
  const { name: namespace, tools } = tool as Extract<Tool, { type: 'namespace' }>;
  return tools.map(({ type, name }) => `${type} ${flatName(name, namespace)}`);
}

function checkSchemas(tools: Tool[]): void {
  for (const [at, tool] of tools.entries())
    if (tool.type === 'function' && tool.strict === true)
      checkStrict(
        tool.parameters,
        `function '${String(tool.name)}'`,
        'invalid_function_parameters',
        `tools[${at}].parameters`,
      );
}
