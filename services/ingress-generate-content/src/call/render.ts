import { parseExact } from '@model-gateway/canonical';
import type { GoogleAnswerPart } from '@model-gateway/wire';

/** A whole call: in this format its arguments are an object, and come at once. */
export function renderCall(
  id: string,
  name: string,
  json: string,
): Extract<GoogleAnswerPart, { functionCall: object }> {
  return { functionCall: { id, name, args: argsOf(json) } };
}

/** What a model wrote as a call's arguments, as an object; what is none is kept under a name. */
function argsOf(json: string): Record<string, unknown> {
  if (json.trim() === '') return {};
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    return { _raw: json };
  }
  if (value === null) return {};
  // A number that is kept as its text is an object, too, but not written as one.
  return json.trimStart().startsWith('{') ? (value as Record<string, unknown>) : { value };
}
