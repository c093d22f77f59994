import { contextLengthCode, type ErrorKind, GatewayError } from '@model-gateway/canonical';
import type { UpstreamFailure } from './dialect.ts';
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
} from './failure-body.ts';
import { editEvent, withoutError } from './loose-events.ts';
import { malformed } from './malformed.ts';
import { eventObject, isBlank, type StreamEvent } from './read-json.ts';

/** Translates an upstream's failure into an error kind, which the ingress renders for the client. An error about the gateway's credential is hidden. */
export function decodeFailure({ provider, status, headers, body }: UpstreamFailure): GatewayError {
  const failure = readFailureBody(body);
  // Some upstreams fail with status 200 and put the real status into `code`.
  const actual = status < 300 ? statusIn(failure.code) : status;
  const requestId = headers['x-request-id'];
  return failed(failure, actual, defaultMessage(status), {
    ...retryAfter(headers),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  });
}

/** Returns the object in an event's data. @throws GatewayError for a malformed event or one that is an error */
export function eventData(event: StreamEvent): Record<string, unknown> {
  const data = eventObject(event);
  // Some servers send an error without content in each event.
  const hasError = data?.error && !(isBlank(data.error) && (data.type ?? event.event));
  if (event.event === 'error' || data?.type === 'error' || hasError)
    throw answerFailure(readFailure(data) ? data : event.data);
  if (!data) throw malformed('event', 'its data is not a JSON object');
  if (data.error) editEvent(event, withoutError);
  return data;
}

/** Translates an error inside a response that started with status 200. */
export function answerFailure(value: unknown): GatewayError {
  const failure = readFailure(value) ?? {};
  return failed(failure, statusIn(failure.code), 'The upstream failed.');
}

function failed(
  failure: FailureBody,
  status: number | undefined,
  otherwise: string,
  more: GatewayError['details'] = {},
): GatewayError {
  const { message, param, code, type } = failure;
  if (refusesCredential(status, failure)) return keyRefused(more, failure);
  const missing = pathMissing(more, failure);
  if (missing) return missing;
  const kind = failureKind(status, code, type);
  const mayBeTooLong = kind === 'invalid-request' || status === undefined || status === 500;
  if (mayBeTooLong && isContextLength(message, code, type)) {
    const details = { ...(param && { param }), code: contextLengthCode, ...more };
    return new GatewayError('invalid-request', message ?? otherwise, details);
  }
  const named = typeof code === 'string' && !/^\d+$/.test(code) ? code : undefined;
  return new GatewayError(kind, message ?? otherwise, {
    ...(kind === 'invalid-request' && param && { param }),
    ...(kind === 'invalid-request' && named && { code: named }),
    ...(kind === 'not-found' && { code: named ?? 'model_not_found' }),
    ...more,
  });
}

/** Reads an HTTP error status out of a code, if the code is one. */
function statusIn(code: string | number | undefined): number | undefined {
  const status = Number(code);
  return status >= 400 && status < 600 ? status : undefined;
}

const kindOfCode = new Map<unknown, ErrorKind>([
  ['insufficient_quota', 'quota-exceeded'],
  ['rate_limit_exceeded', 'rate-limited'],
  ['server_is_overloaded', 'overloaded'],
]);

const kindOfHttpStatus = new Map<number | undefined, ErrorKind>([
  [400, 'invalid-request'],
  [402, 'quota-exceeded'],
  // Of a content policy; any other one is about the credential.
  [403, 'invalid-request'],
  [404, 'not-found'],
  [408, 'timeout'],
  [413, 'too-large'],
  [422, 'invalid-request'],
  [429, 'rate-limited'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
]);

function failureKind(status: number | undefined, ...codes: unknown[]): ErrorKind {
  const known = codes.find(code => kindOfCode.has(code));
  return kindOfCode.get(known) ?? kindOfHttpStatus.get(status) ?? 'upstream';
}
