import { type ErrorKind, GatewayError } from '@model-gateway/canonical';
import {
  camelCase,
  type GenerateContentUpstreamError,
  generateContentUpstreamError,
} from '@model-gateway/wire';
import { credentialRefused, refusesCredential } from './credential.ts';
import type { UpstreamFailure } from './dialect.ts';
import {
  contextLengthCode,
  type FailureBody,
  isContextLength,
  readFailure,
  readFailureBody,
  retryAfter,
} from './failure-body.ts';

/** What an upstream's failure means for the client. The gateway's own credential is not the client's to mend. */
export function decodeFailure({ provider, status, headers, body }: UpstreamFailure): GatewayError {
  const error = errorIn(parse(body));
  const said = readFailureBody(body);
  const requestId = headers['x-request-id'];
  // Asked for a stream, an upstream may fail with status 200.
  return failed(
    said,
    error,
    status < 300 ? error.code : status,
    `The upstream answered with status ${status}.`,
    {
      ...retryAfter(headers),
      upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
    },
  );
}

/** An error inside an answer that began well, where its code is the only status. */
export function answerFailure(given: unknown): GatewayError {
  const error = errorIn(given);
  return failed(readFailure(given) ?? {}, error, error.code, 'The upstream failed.');
}

const kindOfStatus = new Map<string | null | undefined, ErrorKind>([
  ['INVALID_ARGUMENT', 'invalid-request'],
  ['OUT_OF_RANGE', 'invalid-request'],
  // Of where the gateway is, or of what it has paid.
  ['FAILED_PRECONDITION', 'upstream'],
  ['NOT_FOUND', 'not-found'],
  ['RESOURCE_EXHAUSTED', 'rate-limited'],
  ['UNAVAILABLE', 'overloaded'],
  ['DEADLINE_EXCEEDED', 'timeout'],
]);

/** Where it has no status of the format's own. */
const kindOfCode = new Map<number | null | undefined, ErrorKind>([
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
  { message }: FailureBody,
  { status, details }: GenerateContentUpstreamError,
  code: number | null | undefined,
  unsaid: string,
  more: GatewayError['details'] = {},
): GatewayError {
  if (refusesKey({ status, details }, code, message))
    return new GatewayError('upstream', credentialRefused, more);
  // Of what the format has no word for it says that an argument is wrong; then the code says more.
  const worded = status === 'INVALID_ARGUMENT' ? undefined : kindOfStatus.get(status);
  const known = worded ?? kindOfCode.get(code) ?? kindOfStatus.get(status) ?? 'upstream';
  const tooLong = (known === 'invalid-request' || code === 500) && isContextLength(message);
  const kind = code === 413 ? 'too-large' : tooLong ? 'invalid-request' : known;
  const param = details?.flatMap(({ fieldViolations }) => fieldViolations ?? [])[0]?.field;
  return new GatewayError(kind, message ?? unsaid, {
    ...(kind === 'invalid-request' && param && { param: param.split('.').map(camelCase).join('.') }),
    ...(tooLong && { code: contextLengthCode }),
    ...(kind === 'not-found' && { code: 'model_not_found' }),
    ...more,
    ...delayOf(details),
  });
}

/** A wrong key is a bad request to this vendor. */
function refusesKey(
  { status, details }: Pick<GenerateContentUpstreamError, 'status' | 'details'>,
  code: number | null | undefined,
  message: string | undefined,
): boolean {
  if (status === 'UNAUTHENTICATED' || status === 'PERMISSION_DENIED') return true;
  if (details?.some(({ reason }) => reason?.startsWith('API_KEY_'))) return true;
  return refusesCredential(code ?? undefined, { ...(message && { message }) });
}

/** How long it asks to be left alone: `"34s"`, `"0.5s"`. */
function delayOf(details: GenerateContentUpstreamError['details']): { retryAfterMs?: number } {
  const given = details?.find(({ retryDelay }) => retryDelay)?.retryDelay ?? '';
  const [, seconds] = /^(\d{1,9}(?:\.\d+)?)s$/.exec(given) ?? [];
  return seconds === undefined
    ? {}
    : { retryAfterMs: Math.min(Math.ceil(Number(seconds) * 1_000), maxDelayMs) };
}

/** The longest time that a client is told to wait. */
const maxDelayMs = 3_600_000;

/** The error that a value is or holds, alone or in a list of one. */
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

/** The most that an error is read of. */
const maxError = 64 * 1024;

/** Finds an error that an upstream put into a stream as bare JSON, not as an event. */
export class BareError {
  /** What follows the last whole event. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** Whether it begins as JSON does; undefined while it has nothing but space. */
  #isJson: boolean | undefined;

  /** `whole` is what `bytes` made whole: it ends at the last event's end. */
  note(bytes: Buffer, whole: Buffer): void {
    const held = this.#length + bytes.length - whole.length;
    const rest = whole.length > 0 ? bytes.subarray(bytes.length - held) : bytes;
    if (whole.length > 0) this.#forget();
    this.#length = held;
    const [first] = /\S/.exec(rest.toString('latin1', 0, 64)) ?? [];
    if (first !== undefined) this.#isJson ??= first === '{' || first === '[';
    if (this.#isJson !== false && held <= maxError) this.#pieces.push(rest);
  }

  /** The error; undefined where there is none. */
  get error(): unknown {
    if (!this.#isJson || this.#length > maxError) return undefined;
    try {
      const value = JSON.parse(Buffer.concat(this.#pieces).toString('utf8'));
      const one = Array.isArray(value) ? value[0] : value;
      return one?.error ? one : undefined;
    } catch {
      return undefined;
    }
  }

  #forget(): void {
    this.#pieces = [];
    this.#isJson = undefined;
  }
}
