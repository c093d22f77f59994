import { type ErrorKind, type GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { RealtimeErrorObject, RealtimeEvent } from '@model-gateway/formats';

/** Type and default code of each kind of error. */
const words: Record<ErrorKind, [type: string, code: string]> = {
  'invalid-request': ['invalid_request_error', 'invalid_value'],
  unauthenticated: ['invalid_request_error', 'invalid_api_key'],
  forbidden: ['invalid_request_error', 'permission_denied'],
  'not-found': ['invalid_request_error', 'model_not_found'],
  'too-large': ['invalid_request_error', 'request_too_large'],
  'rate-limited': ['rate_limit_error', 'rate_limit_exceeded'],
  'quota-exceeded': ['insufficient_quota', 'insufficient_quota'],
  overloaded: ['server_error', 'overloaded'],
  timeout: ['server_error', 'timeout'],
  upstream: ['server_error', 'server_error'],
  cancelled: ['server_error', 'cancelled'],
  internal: ['server_error', 'server_error'],
};

/** Renders an error event, which leaves the session open. */
export function renderError(thrown: unknown, eventId: string | null): RealtimeEvent {
  const { kind, message, details } = toGatewayError(thrown);
  const [type, code] = words[kind];
  const error: RealtimeErrorObject = {
    type,
    code: details.code ?? code,
    message,
    param: details.param ?? null,
    event_id: eventId,
  };
  return { type: 'error', error };
}

/** Renders the error of a failed response or transcript. */
export function renderFailure(thrown: unknown): { type: string; code: string; message: string } {
  const { kind, message, details }: GatewayError = toGatewayError(thrown);
  const [type, code] = words[kind];
  return { type, code: details.code ?? code, message };
}
