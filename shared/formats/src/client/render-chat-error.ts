import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { ChatErrorBody } from '../chat/answer.ts';
import type { RenderedError } from './endpoint.ts';
import { hintsOf, isConflict, isSlowBody, retryOf, statusOf } from './error-status.ts';

/** Status, `type` and default `code` of each kind. */
const shapes: Record<ErrorKind, { status: number; type: string; code: string | null }> = {
  'invalid-request': { status: 400, type: 'invalid_request_error', code: null },
  unauthenticated: { status: 401, type: 'invalid_request_error', code: null },
  forbidden: { status: 403, type: 'invalid_request_error', code: 'insufficient_permissions' },
  'not-found': { status: 404, type: 'invalid_request_error', code: null },
  'too-large': { status: 413, type: 'invalid_request_error', code: 'request_too_large' },
  'rate-limited': { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  'quota-exceeded': { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  overloaded: { status: 503, type: 'service_unavailable_error', code: 'server_is_overloaded' },
  timeout: { status: 504, type: 'server_error', code: 'timeout' },
  upstream: { status: 502, type: 'server_error', code: 'upstream_error' },
  cancelled: { status: 499, type: 'server_error', code: 'cancelled' },
  internal: { status: 500, type: 'server_error', code: null },
};

/** The shape of an upstream's conflict. */
const conflict = { type: 'invalid_request_error', code: 'conflict' };

/** Renders an error in the shape of OpenAI's API, which several formats share. */
export function renderChatError(error: GatewayError): RenderedError {
  return {
    status: statusOf(error, shapes),
    body: errorBody(error),
    ...hintsOf(error),
    ...retryOf(error),
  };
}

/** Renders an error within a stream. No `[DONE]` follows, so that no client treats the response as complete. */
export function renderChatErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(errorBody(error)));
}

/**
 * Renders an error within a stream as an event named `error`, for formats that define no event for it: clients detect
 * this name or the `error` field.
 */
export function renderNamedChatErrorEvent(error: GatewayError): string {
  return sseEvent(dataJson(errorBody(error)), 'error');
}

function errorBody(error: GatewayError): ChatErrorBody {
  const { kind, message, details } = error;
  const { type, code } = isConflict(error) ? conflict : shapes[isSlowBody(error) ? 'invalid-request' : kind];
  const { param = null, said } = details;
  const fullMessage = said === undefined ? message : `${message} The model returned: ${said}`;
  const typeOfLimit = details.ofTokens ? 'tokens' : type;
  return { error: { message: fullMessage, type: typeOfLimit, param, code: details.code ?? code } };
}
