import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import type { GoogleErrorBody } from '@model-gateway/wire';
import type { RenderedError } from '../endpoint.ts';

/** HTTP code and status name of each kind. */
const shapes: Record<ErrorKind, { code: number; status: string }> = {
  'invalid-request': { code: 400, status: 'INVALID_ARGUMENT' },
  unauthenticated: { code: 401, status: 'UNAUTHENTICATED' },
  forbidden: { code: 403, status: 'PERMISSION_DENIED' },
  'not-found': { code: 404, status: 'NOT_FOUND' },
  'too-large': { code: 413, status: 'INVALID_ARGUMENT' },
  'rate-limited': { code: 429, status: 'RESOURCE_EXHAUSTED' },
  'quota-exceeded': { code: 429, status: 'RESOURCE_EXHAUSTED' },
  overloaded: { code: 503, status: 'UNAVAILABLE' },
  timeout: { code: 504, status: 'DEADLINE_EXCEEDED' },
  upstream: { code: 500, status: 'INTERNAL' },
  cancelled: { code: 499, status: 'CANCELLED' },
  internal: { code: 500, status: 'INTERNAL' },
};

const badKey = { code: 400, status: 'INVALID_ARGUMENT' };
const badMethod = { code: 405, status: 'INVALID_ARGUMENT' };
const badKeyInfo = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
};

/** An error in the shape of the Gemini API, where a wrong key that is not a Bearer token is a bad argument. */
export function renderGoogleError(error: GatewayError, byKey: boolean): RenderedError {
  const { kind, message, details } = error;
  const invalidKey = byKey && details.code === 'invalid_api_key';
  const { code, status } = invalidKey
    ? badKey
    : details.code === 'method_not_allowed'
      ? badMethod
      : shapes[kind];
  const retry = details.retryAfterMs === undefined ? undefined : Math.ceil(details.retryAfterMs / 1000);
  const info = [
    ...(invalidKey ? [badKeyInfo] : []),
    ...(retry === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retry}s` }]),
  ];
  const body: GoogleErrorBody = {
    error: { code, message, status, ...(info.length > 0 && { details: info }) },
  };
  return {
    status: code,
    body,
    ...(details.retryAfterMs !== undefined && { retryAfterMs: details.retryAfterMs }),
  };
}
