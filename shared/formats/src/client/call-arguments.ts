import { GatewayError } from '@model-gateway/canonical';
import { argumentsText, exceededBound } from '@model-gateway/json';

/**
 * Returns the arguments of a call in a history as JSON text. Those that are cut off, as an answer at its limit leaves them, are kept
 * as text within JSON; an object is written as text.
 * @throws GatewayError for the field `param` if they exceed the bounds of a request
 */
export function callArguments(value: unknown, param: string): string {
  const text = argumentsText(value);
  if (text.trim() === '') return '';
  const exceeded = exceededBound(text);
  if (!exceeded) return text;
  const message = `Invalid '${param}': the arguments of this tool call are JSON that ${exceeded}.`;
  throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
}
