import { type ErrorKind, GatewayError } from '@model-gateway/canonical';
import {
  type GenerateContentUpstreamError,
  generateContentUpstreamError,
} from '../generate-content/answer.ts';
import { camelCase } from '../generate-content/proto-json.ts';
import type { UpstreamFailure } from './dialect.ts';
import {
  defaultMessage,
  type FailureBody,
  keyRefused,
  maxDelayMs,
  meaningOf,
  pathMissing,
  readFailure,
  readFailureBody,
  refusal,
  refusesCredential,
  retryAfter,
} from './failure-body.ts';

/** Translates an upstream's failure into an error kind, which the ingress renders for the client. An error about the gateway's credential is hidden. */
export function decodeFailure({ provider, status, headers, body }: UpstreamFailure): GatewayError {
  const error = errorIn(parse(body));
  const failure = readFailureBody(body);
  const requestId = headers['x-request-id'];
  // A streamed request may fail with status 200.
  return failed(failure, error, status < 300 ? error.code : status, defaultMessage(status), {
    ...retryAfter(headers, status),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  });
}

/** Translates an error inside a response that started with status 200: its `code` is the only status. */
export function answerFailure(value: unknown): GatewayError {
  const error = errorIn(value);
  return failed(readFailure(value) ?? {}, error, error.code, 'The upstream failed.');
}

const kindOfStatusName = new Map<string | null | undefined, ErrorKind>([
  ['INVALID_ARGUMENT', 'invalid-request'],
  ['OUT_OF_RANGE', 'invalid-request'],
  // About the gateway's region or billing account.
  ['FAILED_PRECONDITION', 'upstream'],
  ['NOT_FOUND', 'not-found'],
  ['RESOURCE_EXHAUSTED', 'rate-limited'],
  ['UNAVAILABLE', 'overloaded'],
  ['DEADLINE_EXCEEDED', 'timeout'],
]);

/** Error kinds by HTTP status, for errors without one of the format's status names. */
const kindOfHttpStatus = new Map<number | null | undefined, ErrorKind>([
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

function failed(
  failure: FailureBody,
  { status, details }: GenerateContentUpstreamError,
  code: number | null | undefined,
  otherwise: string,
  more: GatewayError['details'] = {},
): GatewayError {
  const { message = otherwise } = failure;
  const field = details?.flatMap(({ fieldViolations }) => fieldViolations ?? [])[0]?.field;
  const param = field?.split('.').map(camelCase).join('.');
  const vendorDetails = details && { format: 'generate-content' as const, value: details };
  const all = { ...(vendorDetails && { vendorDetails }), ...more, ...delayOf(details) };
  const meaning = meaningOf(code ?? undefined, failure);
  if (meaning) return refusal(meaning, message, param ? { param } : {}, all);
  if (refusesKey({ status, details }, code, failure.message)) {
    const ofKey = status === 'UNAUTHENTICATED' || hasKeyReason(details);
    return keyRefused(more, ofKey ? { code: 'UNAUTHENTICATED' } : {});
  }
  const missing = pathMissing(more, failure);
  if (missing) return missing;
  // INVALID_ARGUMENT also stands for errors that the format has no name for; the code is more exact.
  const named = status === 'INVALID_ARGUMENT' ? undefined : kindOfStatusName.get(status);
  const known = named ?? kindOfHttpStatus.get(code) ?? kindOfStatusName.get(status) ?? 'upstream';
  const kind = code === 413 ? 'too-large' : known;
  return new GatewayError(kind, message, {
    ...(kind === 'invalid-request' && param && { param }),
    ...(kind === 'not-found' && { code: 'model_not_found' }),
    ...all,
  });
}

/** True if the error is about the API key. Google reports a wrong key as status 400. */
function refusesKey(
  { status, details }: Pick<GenerateContentUpstreamError, 'status' | 'details'>,
  code: number | null | undefined,
  message: string | undefined,
): boolean {
  if (status === 'UNAUTHENTICATED' || status === 'PERMISSION_DENIED') return true;
  if (hasKeyReason(details)) return true;
  return refusesCredential(code ?? undefined, { ...(message && { message }) });
}

function hasKeyReason(details: GenerateContentUpstreamError['details']): boolean {
  return details?.some(({ reason }) => reason?.startsWith('API_KEY_')) === true;
}

/** Reads the retry delay of `RetryInfo`, such as `"34s"` or `"0.5s"`. */
function delayOf(details: GenerateContentUpstreamError['details']): { retryAfterMs?: number } {
  const delay = details?.find(({ retryDelay }) => retryDelay)?.retryDelay ?? '';
  const [, seconds] = /^(\d{1,9}(?:\.\d+)?)s$/.exec(delay) ?? [];
  return seconds === undefined
    ? {}
    : { retryAfterMs: Math.min(Math.ceil(Number(seconds) * 1_000), maxDelayMs) };
}

/** Reads the error that a value is or holds, alone or in a list of one. */
function errorIn(value: unknown): GenerateContentUpstreamError {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof one !== 'object' || one === null) return nothing;
  const read = generateContentUpstreamError.safeParse('error' in one ? one.error : one);
  return read.success ? read.data : nothing;
}

const nothing: GenerateContentUpstreamError = { code: null, message: null, status: null, details: null };

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
