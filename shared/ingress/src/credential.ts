import type { IncomingMessage } from 'node:http';
import { authorizationOf } from '@model-gateway/service';

/** The token of `Authorization: Bearer`; undefined if there is none. @throws GatewayError for several that differ */
export function bearerToken(request: IncomingMessage): string | undefined {
  const header = authorizationOf(request);
  if (!header) return undefined;
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}

/** The token of `x-api-key`, else of `Authorization: Bearer`: clients of the messages format send either. */
export function apiKeyOrBearer(request: IncomingMessage): string | undefined {
  return headerText(request, 'x-api-key') ?? bearerToken(request);
}

/** A header that is not empty. */
export function headerText({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'string' && value.trim()) || undefined;
}
