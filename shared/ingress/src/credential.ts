import type { IncomingMessage } from 'node:http';
import { authorizationOf } from '@model-gateway/service';

/** Returns the token of `Authorization: Bearer`, or undefined. @throws GatewayError if several headers differ */
export function bearerToken(request: IncomingMessage): string | undefined {
  const header = authorizationOf(request);
  if (!header) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}

/** Returns the token of `x-api-key`, else of `Authorization: Bearer`: clients of the messages format send either. */
export function apiKeyOrBearer(request: IncomingMessage): string | undefined {
  return headerText(request, 'x-api-key') ?? bearerToken(request);
}

/** Returns a header's text; undefined if it is absent or blank. */
export function headerText({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'string' && value.trim()) || undefined;
}
