import type { ToolCallPart } from '@model-gateway/canonical';
import { parseExact } from '@model-gateway/json';
import { refuse } from './unsupported.ts';

/** Returns a call's arguments as an object with exact numbers. @throws GatewayError for malformed arguments */
export function toolInput({ id, name, arguments: text, custom }: ToolCallPart): Record<string, unknown> {
  if (custom) return { input: text };
  if (text.trim() === '') return {};
  const value = parse(text, id, name);
  if (value === null) return {};
  // `parseExact` may return a number as an object, so the text is checked instead.
  return text.trimStart().startsWith('{') ? (value as Record<string, unknown>) : { value };
}

function parse(text: string, id: string, name: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return refuse('messages', `The arguments of the call '${id}' of the tool '${name}' are not valid JSON.`);
  }
}
