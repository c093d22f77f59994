import { type ErrorKind, GatewayError } from '@model-gateway/canonical';
import { type MessagesUpstreamError, messagesUpstreamError } from '@model-gateway/wire';
import type { UpstreamRefusal } from '../../dialect.ts';
import { retryAfter } from '../../retry-after.ts';

/** What each type of error is to the client; the general `api_error` says less than its status. */
const kinds: Record<string, ErrorKind> = {
  invalid_request_error: 'invalid-request',
  authentication_error: 'upstream',
  permission_error: 'upstream',
  billing_error: 'quota-exceeded',
  not_found_error: 'not-found',
  request_too_large: 'too-large',
  rate_limit_error: 'rate-limited',
  timeout_error: 'timeout',
  overloaded_error: 'overloaded',
};

/** What a status means where the body does not say. */
const kindOfStatus: Record<number, ErrorKind> = {
  400: 'invalid-request',
  402: 'quota-exceeded',
  404: 'not-found',
  408: 'timeout',
  413: 'too-large',
  422: 'invalid-request',
  429: 'rate-limited',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
};

const spent = /_spend_limit_reached$/;

/** What an upstream's refusal means for the client. The gateway's own credential is not the client's to mend. */
export function decodeRefusal({ provider, status, headers, body }: UpstreamRefusal): GatewayError {
  const error = readError(parseBody(body));
  const kind = failureKind(error, status);
  const code = error.details?.error_code ?? (kind === 'not-found' ? 'model_not_found' : undefined);
  const requestId = headers['request-id'] ?? headers['x-request-id'];
  return new GatewayError(kind, messageOf(error, status), {
    ...(code && (kind === 'invalid-request' || kind === 'not-found') && { code }),
    ...retryAfter(headers),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  });
}

/** What an error means that stands in place of an answer, or in the middle of one. */
export function decodeFailure(given: unknown): GatewayError {
  const error = readError(given);
  return new GatewayError(failureKind(error, 500), messageOf(error));
}

/** The error in the data of an event or a body; one that cannot be read says nothing. */
function readError(given: unknown): MessagesUpstreamError {
  const parsed = messagesUpstreamError.safeParse(given);
  return parsed.success ? parsed.data : {};
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))?.error;
  } catch {
    return undefined;
  }
}

function failureKind({ type, details }: MessagesUpstreamError, status: number): ErrorKind {
  if (spent.test(details?.error_code ?? '')) return 'quota-exceeded';
  if (status === 401 || status === 403) return 'upstream';
  return (type && Object.hasOwn(kinds, type) && kinds[type]) || (kindOfStatus[status] ?? 'upstream');
}

function messageOf({ type, message }: MessagesUpstreamError, status?: number): string {
  const refused = status === 401 || status === 403;
  if (refused || type === 'authentication_error' || type === 'permission_error')
    return "The upstream refused the gateway's credential.";
  return message || (status ? `The upstream answered with status ${status}.` : 'The upstream failed.');
}
