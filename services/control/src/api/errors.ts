import { type FieldError, type Problem, problemType } from '@model-gateway/admin-api';
import {
  type ErrorKind,
  GatewayError,
  type OverloadReason,
  overloaded,
  reasonOf,
  toGatewayError,
} from '@model-gateway/canonical';
import type { Log } from '@model-gateway/service';
import type { ErrorRequestHandler, Response } from 'express';
import { InvalidFields } from '../common/invalid-fields.ts';
import { isDeadlock, isTooSlow, isUnreachable } from '../database/unreachable.ts';

/** The largest body of an endpoint that states no other, in bytes. */
export const maxBodyBytes = 64 * 1024;

/** The status of each kind, and the code of an error that has no other. */
const kinds: Record<ErrorKind, { status: number; code: string }> = {
  'invalid-request': { status: 400, code: 'invalid_request' },
  unauthenticated: { status: 401, code: 'authentication_required' },
  forbidden: { status: 403, code: 'admin_token_required' },
  'not-found': { status: 404, code: 'not_found' },
  'too-large': { status: 413, code: 'request_too_large' },
  'rate-limited': { status: 429, code: 'rate_limit_exceeded' },
  'quota-exceeded': { status: 429, code: 'insufficient_quota' },
  overloaded: { status: 503, code: 'server_is_overloaded' },
  timeout: { status: 504, code: 'timeout' },
  upstream: { status: 502, code: 'upstream_error' },
  cancelled: { status: 499, code: 'cancelled' },
  internal: { status: 500, code: 'internal_error' },
};

/** The statuses of codes that have another one than their kind. */
const statuses: Partial<Record<string, number>> = {
  unsupported_content_type: 415,
  managed_by_file: 409,
  tokens_exist: 409,
  precondition_failed: 412,
  idempotency_key_in_use: 409,
  idempotency_key_reused: 422,
  entry_in_use: 409,
};

/** The parts of problem details that the others follow from. */
type ProblemParts = Pick<Problem, 'status' | 'code' | 'detail'> & {
  errors?: readonly FieldError[];
  /** The origin of a 503, for `x-gateway-reason`. */
  reason?: OverloadReason | undefined;
};

/** Responds with problem details. */
export function sendProblem(
  response: Response,
  { status, code, detail, errors = [], reason }: ProblemParts,
): void {
  const type = `urn:model-gateway:problem:${code}`;
  const title = titleOf(code);
  const requestId = String(response.locals.requestId ?? '');
  const body: Problem = { type, title, status, detail, code, requestId, errors: [...errors] };
  if (reason) response.set('x-gateway-reason', reason);
  // Express would add a charset to the media type, which has none.
  response.status(status).setHeader('content-type', problemType).end(JSON.stringify(body));
}

/** Returns a code in words. */
function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ').replace(/\b(api|csrf|oidc|url)\b/g, word => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Responds with the error that a route threw. An unknown error is logged, and the client gets a generic 500. */
export function handleErrors(log: Log): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toGatewayError(toKnownError(thrown));
    const kind = kinds[error.kind];
    const { code = kind.code, retryAfterMs } = error.details;
    const status = statuses[code] ?? kind.status;
    if (error.kind === 'internal')
      log.error({ err: thrown, requestId: response.locals.requestId }, 'request failed');
    if (status === 401) response.set('www-authenticate', 'Bearer');
    if (retryAfterMs !== undefined) response.set('retry-after', String(Math.ceil(retryAfterMs / 1000)));
    sendProblem(response, {
      status,
      code,
      detail: error.message,
      errors: fieldsOf(error),
      reason: reasonOf(error),
    });
  };
}

/** Returns the fields that an error names. */
function fieldsOf(error: GatewayError): readonly FieldError[] {
  if (error instanceof InvalidFields) return error.errors;
  const { param, code = 'invalid_value' } = error.details;
  if (param === undefined) return [];
  const start = `${param}: `;
  const message = error.message.startsWith(start) ? error.message.slice(start.length) : error.message;
  return [{ path: param, message: message.replace(/\.$/, ''), code }];
}

/** An error of Express or its body parser. */
interface BodyError {
  status?: number;
  type?: string;
  /** The largest body, in bytes. */
  limit?: number;
}

/** Converts known errors of Express, its body parser and the database to a GatewayError; returns others unchanged. */
function toKnownError(thrown: unknown): unknown {
  if (thrown instanceof GatewayError) return thrown;
  if (isTooSlow(thrown)) {
    const message = 'The database took too long. Try again later, or ask for a shorter span of time.';
    return overloaded('database_timeout', message, { retryAfterMs: 5_000 });
  }
  if (isDeadlock(thrown)) {
    const message = 'Another change was made at the same time. Nothing was changed. Try again.';
    return overloaded('database_conflict', message, { retryAfterMs: 1_000 });
  }
  if (isUnreachable(thrown)) {
    return overloaded('database_unavailable', 'The database cannot be reached.', { retryAfterMs: 1_000 });
  }
  const { status, type, limit = maxBodyBytes } = Object(thrown) as BodyError;
  if (status === 413) return new GatewayError('too-large', `The body is larger than ${limit / 1024} kB.`);
  if (type === 'entity.parse.failed')
    return new GatewayError('invalid-request', 'The body is not a JSON object.');
  if (status && status >= 400 && status < 500) {
    return new GatewayError('invalid-request', 'The request cannot be read.');
  }
  return thrown;
}
