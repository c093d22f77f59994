import { type ErrorKind, GatewayError } from '@model-gateway/canonical';
import type { UpstreamFailure } from './dialect.ts';
import {
  defaultMessage,
  type FailureBody,
  keyRefused,
  meaningOf,
  namedCode,
  pathMissing,
  readFailure,
  readFailureBody,
  refusal,
  refusesCredential,
  retryAfter,
  statusOf,
} from './failure-body.ts';
import { editEvent, withoutError } from './loose-events.ts';
import { malformed } from './malformed.ts';
import { eventObject, isBlank, type StreamEvent } from './read-json.ts';

/** Translates an upstream's failure into an error kind, which the ingress renders for the client. An error about the gateway's credential is hidden. */
export function decodeFailure({ provider, status, headers, body }: UpstreamFailure): GatewayError {
  const failure = readFailureBody(body);
  // Some upstreams fail with status 200 and put the real status into the body.
  const actual = status < 300 ? statusOf(failure) : status;
  const requestId = headers['x-request-id'];
  return failed(failure, actual, defaultMessage(status), {
    ...retryAfter({ ...failure.headers, ...headers }, actual ?? status),
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
  return failed(failure, statusOf(failure), 'The upstream failed.');
}

function failed(
  failure: FailureBody,
  status: number | undefined,
  otherwise: string,
  more: GatewayError['details'] = {},
): GatewayError {
  const { message = otherwise, param, code, said } = failure;
  const meaning = meaningOf(status, failure);
  if (meaning) return refusal(meaning, message, failure, more);
  if (refusesCredential(status, failure)) return keyRefused(more, failure);
  const missing = pathMissing(more, failure);
  if (missing) return missing;
  const kind = kindOfHttpStatus.get(status) ?? 'upstream';
  const named = namedCode(code);
  return new GatewayError(kind, message, {
    ...(kind === 'invalid-request' && param && { param }),
    ...(kind === 'invalid-request' && named && { code: named }),
    ...(kind === 'not-found' && { code: named ?? 'model_not_found' }),
    ...(said && { said }),
    ...more,
  });
}

const kindOfHttpStatus = new Map<number | undefined, ErrorKind>([
  [400, 'invalid-request'],
  [402, 'quota-exceeded'],
  [404, 'not-found'],
  [408, 'timeout'],
  [413, 'too-large'],
  [422, 'invalid-request'],
  [429, 'rate-limited'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
]);
