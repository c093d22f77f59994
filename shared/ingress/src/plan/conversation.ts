import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayRequest } from '@model-gateway/formats/client';
import type { ClientBody } from '../read/client-body.ts';

/** Headers by which clients name their session. */
const sessionHeaders = ['x-session-id', 'session-id', 'session_id', 'x-claude-code-session-id'] as const;
/** Size of a body in bytes, about 1,024 tokens, below which providers do not cache its beginning. */
export const smallestCached = 4_096;
/** The most characters of a text, and the most items of a list, that tell conversations apart. */
const comparedText = 2_048;
const comparedItems = 16;

/**
 * Returns a text that is the same for all turns of a conversation: the client's own key for the provider's cache, its
 * session id, or the first turn of the user. Undefined if no provider would cache anything of the request.
 */
export function conversationOf(
  request: GatewayRequest,
  headers: IncomingHttpHeaders,
  body: ClientBody,
): string | undefined {
  if (request.type !== 'generate') return undefined;
  const named = request.cacheKey || sessionHeaders.map(name => headers[name]).find(Boolean);
  if (named) return String(named);
  const bytes = body.type === 'text' ? body.text.length : 0;
  return bytes < smallestCached ? undefined : JSON.stringify(request.firstTurn?.(), shortened);
}

function shortened(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, comparedText);
  return Array.isArray(value) ? value.slice(0, comparedItems) : value;
}
