import { type FieldError, mostFieldErrors } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';

/** The most fields that the sentence of an error names. */
const mostNamed = 10;

/** An invalid request, with every invalid field of its body or query. */
export class InvalidFields extends GatewayError {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[], sentence = sentenceOf(errors)) {
    super('invalid-request', sentence, { code: 'invalid_request' });
    this.errors = errors.slice(0, mostFieldErrors);
  }
}

/** Returns the error of one invalid field. `reason` is the rest of a sentence that begins with the path. */
export function invalidField(path: string, reason: string, code: string): InvalidFields {
  return new InvalidFields([{ path, message: reason, code }]);
}

/** Writes the errors of fields; fields with the same one together. */
function sentenceOf(errors: readonly FieldError[]): string {
  const shown = Map.groupBy(errors.slice(0, mostNamed), ({ message }) => message);
  const named = [...shown].map(
    ([message, fields]) => `${fields.map(({ path }) => path).join(', ')}: ${message}`,
  );
  const others = errors.length - Math.min(errors.length, mostNamed);
  return `${named.join('; ')}${others > 0 ? `; and ${others} more` : ''}.`;
}
