import { parseExact, type ToolCallPart } from '@model-gateway/canonical';
import { refuse } from './content.ts';

/**
 * A call's arguments as the object that this format wants, its numbers as they were.
 * @throws GatewayError that names a call with broken ones
 */
export function argumentsOf({ id, name, arguments: text, custom }: ToolCallPart): Record<string, unknown> {
  if (custom) return { input: text };
  if (text.trim() === '') return {};
  const value = parse(text, id, name);
  if (value === null) return {};
  // A number that is kept as its text is an object, too, but not written as one.
  return text.trimStart().startsWith('{') ? (value as Record<string, unknown>) : { value };
}

function parse(text: string, id: string, name: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return refuse('contents', `The arguments of the call '${id}' of the tool '${name}' are not valid JSON.`);
  }
}
