import { type ErrorKind, GatewayError } from '@model-gateway/canonical';
import { messagesUpstreamError } from '@model-gateway/wire';
import { credentialRefused, refusesCredential } from '../credential.ts';
import type { UpstreamFailure } from '../dialect.ts';
import {
  contextLengthCode,
  type FailureBody,
  isContextLength,
  readFailure,
  readFailureBody,
  retryAfter,
  unsaid,
} from '../failure-body.ts';

/** What each type of error is to the client; the general `api_error` says less than its status. */
const kinds: Record<string, ErrorKind> = {
  invalid_request_error: 'invalid-request',
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

/** What an upstream's failure means for the client. The gateway's own credential is not the client's to mend. */
export function decodeFailure({ provider, status, headers, body }: UpstreamFailure): GatewayError {
  const requestId = headers['request-id'] ?? headers['x-request-id'];
  return failed(readFailureBody(body), status, unsaid(status), {
    ...retryAfter(headers),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  });
}

/** What an error means that stands in place of an answer, or in the middle of one. */
export function answerFailure(given: unknown): GatewayError {
  return failed(readFailure(given) ?? {}, 500, 'The upstream failed.');
}

function failed(
  failure: FailureBody,
  status: number,
  otherwise: string,
  more: GatewayError['details'] = {},
): GatewayError {
  if (refusesCredential(status, failure)) return new GatewayError('upstream', credentialRefused, more);
  const { message = otherwise, param } = failure;
  const code = errorCode(failure.details);
  const kind = failureKind(failure.type, code, status);
  const details = {
    ...(kind === 'invalid-request' && param && { param }),
    ...(kind === 'invalid-request' && code && { code }),
    ...(kind === 'not-found' && { code: code ?? 'model_not_found' }),
    ...(kind === 'invalid-request' &&
      isContextLength(message, code, failure.code, failure.type) && { code: contextLengthCode }),
  };
  return new GatewayError(kind, message, { ...details, ...more });
}

function errorCode(details: unknown): string | undefined {
  const read = messagesUpstreamError.shape.details.safeParse(details);
  return read.data?.error_code ?? undefined;
}

function failureKind(type: string | undefined, code: string | undefined, status: number): ErrorKind {
  if (spent.test(code ?? '')) return 'quota-exceeded';
  return (type && Object.hasOwn(kinds, type) && kinds[type]) || (kindOfStatus[status] ?? 'upstream');
}
