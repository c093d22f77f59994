import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';

const name = 'authorization';

/**
 * Returns the value of `Authorization`, if any. Of several headers Node keeps the first, but a proxy before
 * it may have read the last.
 * @throws GatewayError if several differ
 */
export function authorizationOf(request: IncomingMessage): string | undefined {
  const { [name]: first } = request.headers;
  if (first === undefined) return undefined;
  const { rawHeaders } = request;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (header.length !== name.length || header.toLowerCase() !== name || rawHeaders[i + 1] === first)
      continue;
    throw new GatewayError(
      'invalid-request',
      'The request has several Authorization headers that differ. Send one.',
      {
        param: 'authorization',
        code: 'conflicting_credentials',
      },
    );
  }
  return first;
}
