import { contextLengthCode, type ErrorKind, GatewayError } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import { messagesUpstreamError } from '@model-gateway/wire';
import type { UpstreamFailure } from '../dialect.ts';
import {
  defaultMessage,
  type FailureBody,
  isContextLength,
  keyRefused,
  pathMissing,
  readFailure,
  readFailureBody,
  refusesCredential,
  retryAfter,
} from '../failure-body.ts';

/** Error kinds by error type. The generic `api_error` is less exact than the status. */
const kinds: Record<string, ErrorKind> = {
  invalid_request_error: 'invalid-request',
  billing_error: 'quota-exceeded',
  not_found_error: 'not-found',
  request_too_large: 'too-large',
  rate_limit_error: 'rate-limited',
  timeout_error: 'timeout',
  overloaded_error: 'overloaded',
};

/** Error kinds by status, for errors without a known type. */
const kindOfStatus: Record<number, ErrorKind> = {
  400: 'invalid-request',
  402: 'quota-exceeded',
  // Of a content policy; any other one is about the credential.
  403: 'invalid-request',
  404: 'not-found',
  408: 'timeout',
  413: 'too-large',
  422: 'invalid-request',
  429: 'rate-limited',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
};

const spendLimit = /_spend_limit_reached$/;

/** Translates an upstream's failure into an error kind, which the ingress renders for the client. An error about the gateway's credential is hidden. */
export function decodeFailure({ provider, status, headers, body }: UpstreamFailure): GatewayError {
  const requestId = headers['request-id'] ?? headers['x-request-id'];
  return failed(readFailureBody(body), status, defaultMessage(status), {
    ...retryAfter(headers),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  });
}

/** Translates an error that is sent as the response, or inside one. */
export function answerFailure(value: unknown): GatewayError {
  return failed(readFailure(value) ?? {}, 500, 'The upstream failed.');
}

function failed(
  failure: FailureBody,
  status: number,
  otherwise: string,
  more: GatewayError['details'] = {},
): GatewayError {
  if (refusesCredential(status, failure)) return keyRefused(more, failure);
  const missing = pathMissing(more, failure);
  if (missing) return missing;
  const { message = otherwise, param } = failure;
  const code = errorCode(failure.details);
  const kind = failureKind(failure.type, code, status);
  const details = {
    ...(kind === 'invalid-request' && param && { param }),
    ...(kind === 'invalid-request' && code && { code }),
    ...(kind === 'not-found' && { code: code ?? 'model_not_found' }),
    ...(kind === 'invalid-request' &&
      isContextLength(message, code, failure.code, failure.type) && { code: contextLengthCode }),
    ...(isJsonObject(failure.details) && {
      vendorDetails: { format: 'messages' as const, value: failure.details },
    }),
  };
  return new GatewayError(kind, message, { ...details, ...more });
}

function errorCode(details: unknown): string | undefined {
  const read = messagesUpstreamError.shape.details.safeParse(details);
  return read.data?.error_code ?? undefined;
}

function failureKind(type: string | undefined, code: string | undefined, status: number): ErrorKind {
  if (spendLimit.test(code ?? '')) return 'quota-exceeded';
  const named = type && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  const ofStatus = kindOfStatus[status];
  // Other servers use the type of an invalid request for every refusal: the status is more exact.
  return (named === 'invalid-request' ? ofStatus : undefined) ?? named ?? ofStatus ?? 'upstream';
}
