import type { ToolCallPart } from '@model-gateway/canonical';
import { refuse } from './block.ts';

/** A call's arguments as the object that this format wants. @throws GatewayError that names a call with broken ones */
export function toolInput({ id, name, arguments: text, custom }: ToolCallPart): Record<string, unknown> {
  if (custom) return { input: text };
  if (text.trim() === '') return {};
  const value = parse(text, id, name);
  if (value === null) return {};
  return isObject(value) ? value : { value };
}

function parse(text: string, id: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('messages', `The arguments of the call '${id}' of the tool '${name}' are not valid JSON.`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
