import {
  contextLengthCode,
  type ErrorDetails,
  GatewayError,
  isContentPolicy,
} from '@model-gateway/canonical';
import { privateAddress } from '@model-gateway/providers/error-codes';
import type { Dialect } from './dialect.ts';

/** An upstream's error, read from any known shape. Fields of the wrong type are left out. */
export interface FailureBody {
  message?: string;
  type?: string;
  code?: string | number;
  param?: string;
  details?: unknown;
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
  if (isObject(error) || Array.isArray(error)) return readFailure(error) ?? {};
  if (typeof error === 'string' && error) return { ...picked(value), message: textOf(message) ?? error };
  if (typeof message === 'string') return { ...picked(value), ...fromText(message) };
  if (detail) return fromDetail(detail);
  if (Array.isArray(errors)) return readFailure(errors);
  return isEmpty(picked(value)) ? undefined : picked(value);
}

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

function picked({ message, type, code, param, details }: Fields): FailureBody {
  const number = typeof code === 'number' ? code : undefined;
  const all = {
    message: textOf(message),
    type: textOf(type),
    code: textOf(code) ?? number,
    param: textOf(param),
  };
  const present = Object.entries(all).filter(([, field]) => field !== undefined);
  return { ...Object.fromEntries(present), ...(details !== undefined && { details }) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
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

/** Messages of upstreams that send no code for it. */
const contextLengthMessages = [
  /prompt is too long/i,
  /maximum context length/i,
  /context[ _](?:length|window|size)[^.]{0,40}\bexceed/i,
  /exceed\w{0,10}[^.]{0,40}\bcontext[ _](?:length|window|size|limit)/i,
  /input token count[^.]{0,40}\bexceeds/i,
  /too large for model with \d+ maximum context/i,
];

/** Characters of a message that are searched for its reason. */
const searched = 4_000;

/** True if an error means that the prompt, or the prompt plus the output, exceeds the model's context. */
export function isContextLength(message = '', ...codes: unknown[]): boolean {
  if (codes.includes(contextLengthCode) || codes.includes('exceed_context_size_error')) return true;
  const beginning = message.slice(0, searched);
  return contextLengthMessages.some(pattern => pattern.test(beginning));
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
]);
const codes = new Set<unknown>([...keyCodes, 'permission_error']);
/** Matches messages about an API key. Google, for one, reports a wrong key as status 400. */
const keyMessage =
  /\b(?:incorrect|invalid|expired|missing|no)\b.{0,20}\bapi[ _-]?key\b|\bapi[ _-]?key\b.{0,20}\b(?:not valid|invalid|incorrect|expired|missing|not found)\b/i;

/** True if an upstream's error is about the gateway's credential. */
export function refusesCredential(
  status: number | undefined,
  { message, type, code }: { message?: string; type?: string; code?: string | number },
): boolean {
  if (status === 403 && isContentPolicy({ ...(message && { message }), code })) return false;
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

type Headers = Record<string, string | string[] | undefined>;

/** The longest retry delay sent to a client, in milliseconds. */
export const maxDelayMs = 3_600_000;

/**
 * Reads the retry delay of an upstream: `retry-after-ms`, or `retry-after` in seconds or as a date. A date is relative
 * to the response's `date` header. Invalid values are ignored.
 */
export function retryAfter(headers: Headers): { retryAfterMs?: number } {
  const exact = Number(text(headers['retry-after-ms']) || Number.NaN);
  if (isTime(exact)) return { retryAfterMs: Math.min(exact, maxDelayMs) };
  const value = text(headers['retry-after']);
  const seconds = Number(value || Number.NaN);
  // A date in the past means no delay; a negative number is invalid.
  const until = Math.max(0, Date.parse(value) - Date.parse(text(headers.date)));
  const ms = Number.isNaN(seconds) ? until : seconds * 1000;
  return isTime(ms) ? { retryAfterMs: Math.min(ms, maxDelayMs) } : {};
}

function isTime(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0;
}

function text(header: string | string[] | undefined): string {
  return (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
}

/** Returns the error of a connection that broke: before it was open, before an answer, or within one. */
export function brokenConnection(
  place: 'unopened' | 'unanswered' | 'mid-response',
  cause: Error,
): GatewayError {
  const isPrivate = (cause as NodeJS.ErrnoException).code === privateAddress;
  return new GatewayError('upstream', isPrivate ? cause.message : brokenMessages[place], {}, { cause });
}

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
