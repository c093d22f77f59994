import { isConnectionHeader } from '@model-gateway/catalog';
import type { Part } from './account.ts';

const secretName = /auth|key|token|secret|cookie|password|credential|signature/i;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/** Returns the headers that gateway.yaml may hold. The others are reported. `resolve` returns the value of a text. */
export function plainHeaders(
  part: Part,
  resolve: (part: Part) => string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const field of part.mapping()) {
    const value = resolve(field);
    if (!headerName.test(field.key)) field.lose('It is not a valid name of a header.');
    else if (isConnectionHeader(field.key)) field.lose('The gateway sets this header itself.');
    else if (secretName.test(field.key))
      field.lose(
        'The header may hold a secret, which gateway.yaml should not. Use apiKey, or add it to headers by hand.',
      );
    else if (value === undefined) continue;
    else if (value === '' || /\p{Cc}/u.test(value)) field.lose('The value is not one line of text.');
    else headers[field.key] = value;
  }
  return headers;
}
