import { type ErrorKind, GatewayError } from '@model-gateway/canonical';
import { type ChatChunk, type ChatChunkChoice, chatUpstreamError } from '@model-gateway/wire';
import type { UpstreamRefusal } from '../../dialect.ts';
import { retryAfter } from '../../retry-after.ts';
import { parseObject } from '../json.ts';

/** What an upstream's refusal means for the client. The gateway's own credential is not the client's to mend. */
export function decodeRefusal({ provider, status, headers, body }: UpstreamRefusal): GatewayError {
  const parsed = chatUpstreamError.safeParse(errorIn(parseObject(body.toString('utf8'))));
  const { message, param, code } = parsed.success ? parsed.data : {};
  const kind = refusalKind(status < 300 && typeof code === 'number' ? code : status, code);
  const requestId = headers['x-request-id'];
  const details = {
    ...(kind === 'invalid-request' && param && { param }),
    ...(kind === 'not-found' && { code: String(code ?? 'model_not_found') }),
    ...(kind === 'invalid-request' && code && { code: String(code) }),
    ...retryAfter(headers),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  };
  const refused = status === 401 || status === 403;
  const text = refused ? "The upstream refused the gateway's credential." : message;
  return new GatewayError(kind, text || `The upstream answered with status ${status}.`, details);
}

/** The error that a body or a chunk holds, or is, as older servers have it; undefined if there is none. */
export function errorIn(body: Pick<ChatChunk, 'error' | 'object'> | undefined): unknown {
  return body?.error || (body?.object === 'error' ? body : undefined);
}

/** @throws GatewayError for a choice that failed, which has that for its reason to end */
export function refuseFailed({ finish_reason: reason, error }: ChatChunkChoice): void {
  if (reason === 'error') throw answerError(error);
}

/** An error inside an answer that began well. */
export function answerError(given: unknown): GatewayError {
  const parsed = chatUpstreamError.safeParse(given);
  const { message, code } = parsed.success ? parsed.data : {};
  const kind = refusalKind(typeof code === 'number' ? code : 500, code);
  return new GatewayError(kind, message || 'The upstream failed.');
}

/** Inside an answer, there is no status to tell. */
const kindOfCode = new Map<unknown, ErrorKind>([
  ['insufficient_quota', 'quota-exceeded'],
  ['rate_limit_exceeded', 'rate-limited'],
  ['server_is_overloaded', 'overloaded'],
]);

function refusalKind(status: number, code: unknown): ErrorKind {
  const known = kindOfCode.get(code);
  if (known) return known;
  switch (status) {
    case 400:
    case 422:
      return 'invalid-request';
    case 402:
      return 'quota-exceeded';
    case 404:
      return 'not-found';
    case 408:
    case 504:
      return 'timeout';
    case 413:
      return 'too-large';
    case 429:
      return 'rate-limited';
    case 503:
    case 529:
      return 'overloaded';
    default:
      return 'upstream';
  }
}
