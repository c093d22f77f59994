import { type ErrorKind, GatewayError } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import type { UpstreamFailure } from '../upstream/dialect.ts';
import {
  defaultMessage,
  type FailureBody,
  keyRefused,
  meaningOf,
  pathMissing,
  readFailure,
  readFailureBody,
  refusal,
  refusesCredential,
  retryAfter,
  statusOf,
} from '../upstream/failure-body.ts';
import { messagesUpstreamError } from './answer.ts';

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
  const failure = readFailureBody(body);
  const actual = status < 300 ? (statusOf(failure) ?? status) : status;
  return failed(failure, actual, defaultMessage(status), {
    ...retryAfter(headers, actual),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  });
}

/** Translates an error that is sent as the response, or inside one. */
export function answerFailure(value: unknown): GatewayError {
  const failure = readFailure(value) ?? {};
  return failed(failure, statusOf(failure) ?? 500, 'The upstream failed.');
}

function failed(
  failure: FailureBody,
  status: number,
  otherwise: string,
  more: GatewayError['details'] = {},
): GatewayError {
  const { message = otherwise, param, type } = failure;
  const code = errorCode(failure.details);
  const vendorDetails = isJsonObject(failure.details)
    ? { format: 'messages' as const, value: failure.details }
    : undefined;
  const all = { ...(vendorDetails && { vendorDetails }), ...more };
  const meaning = spendLimit.test(code ?? '') ? 'out-of-money' : meaningOf(status, failure, code);
  if (meaning) return refusal(meaning, message, { param, code: code ?? failure.code }, all);
  if (refusesCredential(status, failure)) return keyRefused(more, failure);
  const missing = pathMissing(more, failure);
  if (missing) return missing;
  const kind = failureKind(type, status);
  const details = {
    ...(kind === 'invalid-request' && param && { param }),
    ...(kind === 'invalid-request' && code && { code }),
    ...(kind === 'not-found' && { code: code ?? 'model_not_found' }),
  };
  return new GatewayError(kind, message, { ...details, ...all });
}

function errorCode(details: unknown): string | undefined {
  const read = messagesUpstreamError.shape.details.safeParse(details);
  return read.data?.error_code ?? undefined;
}

function failureKind(type: string | undefined, status: number): ErrorKind {
  const named = type && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  const ofStatus = kindOfStatus[status];
  // Other servers use the type of an invalid request for every refusal: the status is more exact.
  return (named === 'invalid-request' ? ofStatus : undefined) ?? named ?? ofStatus ?? 'upstream';
}
