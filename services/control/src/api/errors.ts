import type { ApiError } from '@model-gateway/admin-api';
import { type ErrorKind, GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Log } from '@model-gateway/service';
import type { ErrorRequestHandler, Response } from 'express';
import { isTooSlow, isUnreachable } from '../database/unreachable.ts';

/** The largest body of the admin API, in bytes. */
export const maxBodyBytes = 64 * 1024;

type ErrorFields = ApiError['error'];

const invalid = 'invalid_request_error';
const kinds: Record<ErrorKind, { status: number; type: string; code?: string }> = {
  'invalid-request': { status: 400, type: invalid },
  unauthenticated: { status: 401, type: invalid },
  forbidden: { status: 403, type: invalid, code: 'admin_token_required' },
  'not-found': { status: 404, type: invalid },
  'too-large': { status: 413, type: invalid, code: 'request_too_large' },
  'rate-limited': { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  'quota-exceeded': { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  overloaded: { status: 503, type: 'service_unavailable_error', code: 'server_is_overloaded' },
  timeout: { status: 504, type: 'server_error', code: 'timeout' },
  upstream: { status: 502, type: 'server_error' },
  cancelled: { status: 499, type: 'server_error' },
  internal: { status: 500, type: 'server_error' },
};

/** The statuses of codes that have another one than their kind. */
const statuses: Partial<Record<string, number>> = {
  unsupported_content_type: 415,
  managed_by_file: 409,
  tokens_exist: 409,
};

/** Responds with an error. `param` and `code` are null where absent. */
export function sendError(
  response: Response<ApiError>,
  status: number,
  { message, type, param = null, code = null }: Pick<ErrorFields, 'message' | 'type'> & Partial<ErrorFields>,
): void {
  response.status(status).json({ error: { message, type, param, code } });
}

/** Responds with the error that a route threw. An unknown error is logged, and the client gets a generic 500. */
export function handleErrors(log: Log): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toGatewayError(toKnownError(thrown));
    const { type, code, ...kind } = kinds[error.kind];
    const { param, retryAfterMs } = error.details;
    const status = statuses[error.details.code ?? ''] ?? kind.status;
    if (error.kind === 'internal')
      log.error({ err: thrown, requestId: response.locals.requestId }, 'request failed');
    if (status === 401) response.set('www-authenticate', 'Bearer');
    if (retryAfterMs !== undefined) response.set('retry-after', String(Math.ceil(retryAfterMs / 1000)));
    sendError(response, status, { message: error.message, type, param, code: error.details.code ?? code });
  };
}

/** Converts known errors of Express, its body parser and the database to a GatewayError; returns others unchanged. */
function toKnownError(thrown: unknown): unknown {
  if (thrown instanceof GatewayError) return thrown;
  if (isTooSlow(thrown)) {
    const message = 'The database took too long. Try again later, or ask for a shorter span of time.';
    return new GatewayError('overloaded', message, { retryAfterMs: 5_000 });
  }
  if (isUnreachable(thrown)) {
    return new GatewayError('overloaded', 'The database cannot be reached.', { retryAfterMs: 1_000 });
  }
  const { status, type } = Object(thrown) as { status?: number; type?: string };
  if (status === 413)
    return new GatewayError('too-large', `The body is larger than ${maxBodyBytes / 1024} kB.`);
  if (type === 'entity.parse.failed')
    return new GatewayError('invalid-request', 'The body is not a JSON object.');
  if (status && status >= 400 && status < 500) {
    return new GatewayError('invalid-request', 'The request cannot be read.');
  }
  return thrown;
}
