import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import type { GenerateContentErrorBody } from '@model-gateway/wire';
import type { RenderedError } from './endpoint.ts';

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
const noKey = { code: 403, status: 'PERMISSION_DENIED' };
/** Overrides by error code. */
const codes: Record<string, { code: number; status: string }> = {
  method_not_allowed: { code: 405, status: 'INVALID_ARGUMENT' },
  request_timeout: { code: 408, status: 'DEADLINE_EXCEEDED' },
  unsupported_content_type: { code: 415, status: 'INVALID_ARGUMENT' },
};

/** Renders an error in the shape of the Gemini API, where a wrong key that is not a Bearer token is a 400. */
export function renderGenerateContentError(error: GatewayError, byKey: boolean): RenderedError {
  const { message, details } = error;
  const { code, status } = shapeOf(error, byKey);
  const info = infoOf(error, byKey);
  const body: GenerateContentErrorBody = {
    error: { code, message, status, ...(info.length > 0 && { details: info }) },
  };
  return {
    status: code,
    body,
    ...(details.retryAfterMs !== undefined && { retryAfterMs: details.retryAfterMs }),
  };
}

function shapeOf(error: GatewayError, byKey: boolean): { code: number; status: string } {
  if (isBadKey(error, byKey)) return badKey;
  if (error.kind === 'unauthenticated' && !error.details.code) return noKey;
  return codes[error.details.code ?? ''] ?? shapes[error.kind];
}

function isBadKey({ details }: GatewayError, byKey: boolean): boolean {
  return byKey && details.code === 'invalid_api_key';
}

/** Builds the `details` of an error, which client libraries read. */
function infoOf(error: GatewayError, byKey: boolean): Record<string, unknown>[] {
  const { kind, message, details } = error;
  const { param, retryAfterMs } = details;
  return [
    ...(isBadKey(error, byKey)
      ? [typed('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' })]
      : []),
    ...(kind === 'invalid-request' && param
      ? [typed('BadRequest', { fieldViolations: [{ field: param, description: message }] })]
      : []),
    ...(retryAfterMs === undefined
      ? []
      : [typed('RetryInfo', { retryDelay: `${Math.ceil(retryAfterMs / 1000)}s` })]),
  ];
}

function typed(name: string, fields: Record<string, unknown>): Record<string, unknown> {
  return { '@type': `type.googleapis.com/google.rpc.${name}`, ...fields };
}
