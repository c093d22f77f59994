import { contextLengthCode, type ErrorDetails, type ErrorKind, GatewayError } from '@model-gateway/canonical';
import { privateAddress } from '@model-gateway/providers/error-codes';
import { rateLimitHeaders } from '@model-gateway/providers/rate-limit-headers';
import { meaningOfCodes, meaningOfWords, type RefusalMeaning } from '@model-gateway/providers/refusals';
import type { Dialect } from './dialect.ts';

/** An upstream's error, read from any known shape. Fields of the wrong type are left out. */
export interface FailureBody {
  message?: string;
  type?: string;
  code?: string | number;
  param?: string;
  details?: unknown;
  /** The status of an error, where the answer has another. */
  status?: number;
  /** The text that the model returned in place of an answer. */
  said?: string;
  /** The headers of another server whose error is passed on, with names in lower case. */
  headers?: Record<string, string>;
}

type Fields = Record<string, unknown>;

/** The longest plain-text body that is used as a message, in characters. */
const maxPlain = 300;

/** Reads the error in a response body; `{}` for HTML, an empty body or an unknown shape. */
export function readFailureBody(body: Buffer): FailureBody {
  const text = body.toString('utf8').trim();
  const value = parse(text);
  if (value !== undefined) return readFailure(value) ?? {};
  const plain = text !== '' && text.length <= maxPlain && !/[<>{}]/.test(text);
  return plain ? { message: text } : {};
}

/** Returns the message for a failure whose body has none. */
export function defaultMessage(status: number): string {
  return status < 300
    ? 'The upstream sent a malformed answer.'
    : `The upstream answered with status ${status}.`;
}

/** Reads the error that a JSON value holds or is; undefined if there is none. */
export function readFailure(value: unknown): FailureBody | undefined {
  if (typeof value === 'string') return value === '' ? undefined : fromText(value);
  // Google's OpenAI-compatible API sends a list of one.
  if (Array.isArray(value)) return value.length > 0 ? readFailure(value[0]) : undefined;
  if (!isObject(value)) return undefined;
  const { error, errors, detail, message = value.err_msg } = value;
  if (!error && hasFailedBase(value)) return fromBase(value.base_resp);
  if (isObject(error) || Array.isArray(error)) return readFailure(error) ?? {};
  if (typeof error === 'string' && error) return { ...picked(value), message: textOf(message) ?? error };
  if (typeof message === 'string') return { ...picked(value), ...fromText(message) };
  if (detail) return fromDetail(detail);
  if (Array.isArray(errors)) return readFailure(errors);
  return isEmpty(picked(value)) ? undefined : picked(value);
}

interface BaseResponse {
  status_code: unknown;
  status_msg?: unknown;
}

/** True if MiniMax's `base_resp`, which each of its answers may have, says that the request failed. */
export function hasFailedBase(value: Fields): value is Fields & { base_resp: BaseResponse } {
  const { base_resp: base } = value;
  return isObject(base) && Number(base.status_code) > 0;
}

/** Reads a failed `base_resp`, whose codes are its own: https://platform.minimax.io/docs/api-reference/errorcode */
function fromBase({ status_code: code, status_msg: message }: BaseResponse): FailureBody {
  const status = statusOfBase.get(Number(code));
  const text = textOf(message);
  return { ...(text && { message: text }), type: `base_resp.${code}`, ...(status && { status }) };
}

const statusOfBase = new Map([
  [1001, 504],
  [1004, 401],
  [2013, 400],
  [2049, 401],
]);

/** Reads a message, which is itself an error in JSON where one server passes on the words of another, as Ollama does. */
function fromText(message: string): FailureBody {
  const nested = /^\s*\{/.test(message) ? parse(message) : undefined;
  const inner = isObject(nested) && isObject(nested.error) ? picked(nested.error) : {};
  return inner.message === undefined ? { ...(message && { message }) } : inner;
}

/** Reads FastAPI's `detail`: a text, or a list of errors with their locations. */
function fromDetail(detail: unknown): FailureBody | undefined {
  if (!Array.isArray(detail)) return readFailure(detail);
  const wrong = detail.filter(isObject).flatMap(({ msg, loc }) => {
    const where = Array.isArray(loc) ? pathOf(loc) : '';
    return typeof msg === 'string' ? [{ where, message: where ? `${where}: ${msg}` : msg }] : [];
  });
  const [first] = wrong;
  if (!first) return readFailure(detail);
  const message = wrong.map(({ message }) => message).join('; ');
  return { message, ...(first.where && { param: first.where }) };
}

/** Formats a location as a path such as `messages[0].content`, without the leading `body`. */
function pathOf(loc: readonly unknown[]): string {
  const [place, ...rest] = loc;
  const steps = place === 'body' ? rest : loc;
  return steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    return path === '' ? String(step) : `${path}.${step}`;
  }, '');
}

function picked({ message, type, code, param, details, ...rest }: Fields): FailureBody {
  const number = typeof code === 'number' ? code : undefined;
  const all = {
    message: textOf(message),
    type: textOf(type) ?? textOf(rest.error_type),
    code: textOf(code) ?? number,
    param: textOf(param),
    status: statusIn(rest.status_code) ?? statusIn(rest.http_code) ?? statusIn(rest.status),
    // Groq's: https://console.groq.com/docs/tool-use
    said: textOf(rest.failed_generation),
    headers: headersIn(rest.metadata),
  };
  const present = Object.entries(all).filter(([, field]) => field !== undefined);
  return { ...Object.fromEntries(present), ...(details !== undefined && { details }) };
}

/** Reads the headers that OpenRouter passes on in an error: https://openrouter.ai/docs/api-reference/errors */
function headersIn(metadata: unknown): Record<string, string> | undefined {
  if (!isObject(metadata) || !isObject(metadata.headers)) return undefined;
  const texts = Object.entries(metadata.headers).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(
    texts.slice(0, maxHeaders).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

/** The most headers that are read in the body of an error. */
const maxHeaders = 50;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the status of an error that is in the body of an answer. */
export function statusOf({ code, status }: FailureBody): number | undefined {
  return statusIn(code) ?? status;
}

/** Reads an HTTP error status out of a value that may be one. */
function statusIn(value: unknown): number | undefined {
  const status = Number(value);
  return status >= 400 && status < 600 ? status : undefined;
}

function isEmpty(error: FailureBody): boolean {
  return Object.keys(error).length === 0;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The statuses with which the words of a refusal count; undefined is that of an error within an answer. Money counts with any. */
const statusesOfWords: Partial<Record<RefusalMeaning, ReadonlySet<number | undefined>>> = {
  'too-long': new Set([undefined, 400, 413, 422, 500]),
  filtered: new Set([400, 403, 422, 451]),
};

/** Returns what a failure says beyond its status, by a code or else by its words. `named`: a code that is elsewhere in the body. */
export function meaningOf(
  status: number | undefined,
  { message = '', code, type }: FailureBody,
  named?: string,
): RefusalMeaning | undefined {
  const known = meaningOfCodes([named, code, type]);
  if (known) return known;
  const meaning = meaningOfWords(message);
  const statuses = meaning && statusesOfWords[meaning];
  return !statuses || statuses.has(status) ? meaning : undefined;
}

const kindOfMeaning: Record<RefusalMeaning, ErrorKind> = {
  'too-long': 'invalid-request',
  filtered: 'invalid-request',
  'out-of-money': 'quota-exceeded',
  'rate-limited': 'rate-limited',
  'out-of-resources': 'overloaded',
};

/** The code of a content policy's refusal that has none. */
const filteredCode = 'content_filter';

/** Returns the error of a refusal that means more than its status. */
export function refusal(
  meaning: RefusalMeaning,
  message: string,
  { param, code }: { param?: string | undefined; code?: string | number | undefined },
  more: ErrorDetails,
): GatewayError {
  const kind = kindOfMeaning[meaning];
  if (kind !== 'invalid-request') return new GatewayError(kind, message, more);
  const named = meaning === 'too-long' ? contextLengthCode : (namedCode(code) ?? filteredCode);
  return new GatewayError(kind, message, { ...(param && { param }), code: named, ...more });
}

/** Returns a code that is a name: numbers say nothing to clients of another vendor. */
export function namedCode(code: string | number | undefined): string | undefined {
  return typeof code === 'string' && !/^\d+$/.test(code) ? code : undefined;
}

/**
 * Returns the error if the upstream rejects the gateway's credential. The client cannot fix it. The key itself is refused
 * only if the status or a code says so: a 403 may be about one model, and a message may repeat the client's own text.
 */
export function keyRefused(details: ErrorDetails, { type, code }: FailureBody = {}): GatewayError {
  const message = "The upstream refused the gateway's credential.";
  const ofKey = details.upstream?.status === 401 || keyCodes.has(type) || keyCodes.has(code);
  return new GatewayError('upstream', message, { ...details, ...(ofKey && { refusedKey: true }) });
}

const keyCodes = new Set<unknown>([
  'invalid_api_key',
  'invalid_authentication',
  'authentication_error',
  'account_deactivated',
  'UNAUTHENTICATED',
  'base_resp.1004',
  'base_resp.2049',
]);
const codes = new Set<unknown>([...keyCodes, 'permission_error']);
/** Matches messages about an API key. Google, for one, reports a wrong key as status 400. */
const keyMessage =
  /\b(?:incorrect|invalid|expired|missing|no)\b.{0,20}\bapi[ _-]?key\b|\bapi[ _-]?key\b.{0,20}\b(?:not valid|invalid|incorrect|expired|missing|not found)\b/i;

/** True if an upstream's error is about the gateway's credential. One with a meaning of its own is not. */
export function refusesCredential(
  status: number | undefined,
  { message, type, code }: { message?: string; type?: string; code?: string | number },
): boolean {
  if (status === 401 || status === 403 || codes.has(type) || codes.has(code)) return true;
  return keyMessage.test((message ?? '').slice(0, 1_000));
}

/** Messages of servers that know no such path. One about a model names it. */
const missingPath = /^(?:(?:404:? )?(?:(?:page|resource) )?not found\.?$|invalid url \()/i;

/** Returns the error if the upstream has no such path, which is a mistake of the provider's settings; else undefined. */
export function pathMissing(details: ErrorDetails, { message }: FailureBody): GatewayError | undefined {
  if (details.upstream?.status !== 404 || !missingPath.test(message ?? '')) return undefined;
  return new GatewayError(
    'upstream',
    "The upstream has no such path: the provider's baseUrl may be wrong.",
    details,
  );
}

/** Returns the error of a connection that broke: before it was open, before an answer, or within one. */
export function brokenConnection(
  place: 'unopened' | 'unanswered' | 'mid-response',
  cause: Error,
): GatewayError {
  const { code } = cause as NodeJS.ErrnoException;
  const message =
    code === privateAddress ? cause.message : (messagesOfCode[code ?? ''] ?? brokenMessages[place]);
  return new GatewayError('upstream', message, {}, { cause });
}

/** Messages by the codes of undici's errors. */
const messagesOfCode: Partial<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: 'The upstream sent headers that are too large.',
};

const brokenMessages = {
  unopened: 'The upstream could not be reached.',
  unanswered: 'The upstream closed the connection without an answer.',
  'mid-response': 'The upstream closed the connection mid-response.',
};

/** Marks an error as that of an attempt, and names the upstream that caused it. */
export function ofUpstream(error: GatewayError, { provider }: { provider: string }): GatewayError {
  const { kind, message, details, cause } = error;
  const { upstream = { provider } } = details;
  return new GatewayError(kind, message, { ...details, upstream, attempted: true }, { cause });
}

/** Adds the canonical path of the field that an upstream's error names, if the dialect knows the field. */
export function withPath(error: GatewayError, { pathOf }: Pick<Dialect, 'pathOf'>): GatewayError {
  const { kind, message, details, cause } = error;
  const path = details.param && pathOf?.(details.param);
  return path ? new GatewayError(kind, message, { ...details, path }, { cause }) : error;
}

type Headers = Record<string, string | string[] | undefined>;

/** The longest retry delay sent to a client, in milliseconds. */
export const maxDelayMs = 3_600_000;

/**
 * Reads the retry delay of an upstream: `retry-after-ms`, `retry-after` in seconds or as a date, or where a limit is exceeded the
 * time at which it is full again. A date is relative to the response's `date` header. Invalid values are ignored.
 */
export function retryAfter(headers: Headers, status: number): { retryAfterMs?: number } {
  const exact = Number(text(headers['retry-after-ms']) || Number.NaN);
  if (isTime(exact)) return { retryAfterMs: Math.min(exact, maxDelayMs) };
  const value = text(headers['retry-after']);
  const seconds = Number(value || Number.NaN);
  const ms = Number.isNaN(seconds) ? untilDate(value, headers) : seconds * 1000;
  if (isTime(ms)) return { retryAfterMs: Math.min(ms, maxDelayMs) };
  return status === 429 ? resetAfter(headers) : {};
}

/** Returns the time until the limits that are used up are full again; if none says that it is, the shortest time of any. */
function resetAfter(headers: Headers): { retryAfterMs?: number } {
  const limits = rateLimitHeaders.flatMap(({ reset, remaining }) => {
    const ms = untilReset(text(headers[reset]), headers);
    return isTime(ms) ? [{ ms, spent: Number(text(headers[remaining]) || Number.NaN) <= 0 }] : [];
  });
  const spent = limits.filter(limit => limit.spent);
  const ms = spent.length > 0 ? Math.max(...spent.map(of => of.ms)) : Math.min(...limits.map(of => of.ms));
  return isTime(ms) ? { retryAfterMs: Math.min(Math.ceil(ms), maxDelayMs) } : {};
}

/** The least numbers that are a time since 1970: in seconds, and in milliseconds. Smaller ones are seconds from now. */
const leastTime = { s: 1e9, ms: 1e11 };

const duration =
  /^(?:(?<d>\d{1,9})d)?(?:(?<h>\d{1,9})h)?(?:(?<m>\d{1,9})m(?!s))?(?:(?<s>\d{1,9}(?:\.\d{1,9})?)s)?(?:(?<ms>\d{1,9}(?:\.\d{1,9})?)ms)?$/;
const unitMs: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/**
 * Reads the reset of a limit, in milliseconds: OpenAI and Groq write `6m0s`, Cerebras and Together seconds, OpenRouter milliseconds since
 * 1970, others seconds since 1970, Anthropic a date.
 */
function untilReset(value: string, headers: Headers): number {
  if (value === '') return Number.NaN;
  const number = Number(value);
  if (number >= leastTime.s) return until(number >= leastTime.ms ? number : number * 1_000, headers);
  if (!Number.isNaN(number)) return number * 1_000;
  const { groups } = duration.exec(value) ?? {};
  if (!groups) return untilDate(value, headers);
  return Object.entries(unitMs).reduce((sum, [unit, ms]) => sum + Number(groups[unit] ?? 0) * ms, 0);
}

function untilDate(value: string, headers: Headers): number {
  return until(Date.parse(value), headers);
}

/** Returns the time from the response's date; 0 for one in the past, which means no delay. */
function until(time: number, headers: Headers): number {
  return Math.max(0, time - Date.parse(text(headers.date)));
}

function isTime(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0;
}

function text(header: string | string[] | undefined): string {
  return (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
}
