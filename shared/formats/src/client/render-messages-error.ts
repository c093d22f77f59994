import { contextLengthCode, type ErrorKind, type GatewayError } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { MessagesErrorBody } from '../messages/answer.ts';
import type { RenderedError } from './endpoint.ts';
import { hintsOf, isConflict, statusOf } from './error-status.ts';

/** Status and `type` of each kind. */
const shapes: Record<ErrorKind, { status: number; type: string }> = {
  'invalid-request': { status: 400, type: 'invalid_request_error' },
  unauthenticated: { status: 401, type: 'authentication_error' },
  forbidden: { status: 403, type: 'permission_error' },
  'not-found': { status: 404, type: 'not_found_error' },
  'too-large': { status: 413, type: 'request_too_large' },
  'rate-limited': { status: 429, type: 'rate_limit_error' },
  'quota-exceeded': { status: 402, type: 'billing_error' },
  overloaded: { status: 529, type: 'overloaded_error' },
  timeout: { status: 504, type: 'timeout_error' },
  upstream: { status: 500, type: 'api_error' },
  cancelled: { status: 499, type: 'api_error' },
  internal: { status: 500, type: 'api_error' },
};

/** The code of an error that names a feature the client must not use. */
export const unsupportedThread = 'thread_unsupported_request';

/** Renders an error in the shape of Anthropic's API. */
export function renderMessagesError(error: GatewayError, requestId: string): RenderedError {
  return {
    status: statusOf(error, shapes),
    body: errorBody(error, requestId),
    ...hintsOf(error),
    ...(error.details.final && { retry: false }),
  };
}

/** Renders an error within a stream; nothing follows it. */
export function renderMessagesErrorEvent(error: GatewayError, requestId: string): string {
  return sseEvent(dataJson(errorBody(error, requestId)), 'error');
}

function errorBody(error: GatewayError, requestId: string): MessagesErrorBody {
  const { message, details } = error;
  const { code } = details;
  const coded = detailsOf(error);
  // Errors of this format carry no code, so its clients match these words.
  const tooLong = code === contextLengthCode && !/prompt is too long/i.test(message);
  const text = tooLong ? `prompt is too long: ${message}` : message;
  return {
    type: 'error',
    error: { type: typeOf(error), message: text, ...(coded && { details: coded }) },
    request_id: requestId,
  };
}

function typeOf(error: GatewayError): string {
  if (isConflict(error)) return 'conflict_error';
  return error.details.code === 'method_not_allowed' ? 'invalid_request_error' : shapes[error.kind].type;
}

/** Returns the `details` of an error: those of an upstream of this format, or of a thread. */
function detailsOf({ details }: GatewayError): Record<string, unknown> | undefined {
  const { code, param, vendorDetails } = details;
  const { format, value } = vendorDetails ?? {};
  if (format === 'messages' && isJsonObject(value)) return value;
  return code === unsupportedThread
    ? { error_code: code, ...(param && { unsupported: [param] }) }
    : undefined;
}
