import type { IncomingMessage } from 'node:http';

/** The token of `Authorization: Bearer`; undefined if there is none. */
export function bearerToken(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  if (!header) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}
