/** An error as an upstream tells it, in whatever shape: fields of other types are left out. */
export interface FailureBody {
  message?: string;
  type?: string;
  code?: string | number;
  param?: string;
  details?: unknown;
}

type Fields = Record<string, unknown>;

/** The most of a text without any shape that is taken for a message. */
const maxPlain = 300;

/** The error that is a response's body; empty for a page of HTML, for nothing, and for what nobody can read. */
export function readFailureBody(body: Buffer): FailureBody {
  const text = body.toString('utf8').trim();
  const value = parse(text);
  if (value !== undefined) return readFailure(value) ?? {};
  const plain = text !== '' && text.length <= maxPlain && !/[<>{}]/.test(text);
  return plain ? { message: text } : {};
}

/** What is told of a failure that says nothing itself. */
export function unsaid(status: number): string {
  return status < 300
    ? 'The upstream sent a malformed answer.'
    : `The upstream answered with status ${status}.`;
}

/** The error that a JSON value holds or is; undefined if there is none to see. */
export function readFailure(value: unknown): FailureBody | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { message: value };
  // Google's own surface of other vendors' formats sends a list of one.
  if (Array.isArray(value)) return value.length > 0 ? readFailure(value[0]) : undefined;
  if (!isObject(value)) return undefined;
  const { error, errors, detail, message } = value;
  if (isObject(error) || Array.isArray(error)) return readFailure(error) ?? {};
  if (typeof error === 'string' && error) return { ...picked(value), message: textOf(message) ?? error };
  if (typeof message === 'string') return picked(value);
  if (detail) return fromDetail(detail);
  if (Array.isArray(errors)) return readFailure(errors);
  return isEmpty(picked(value)) ? undefined : picked(value);
}

/** As FastAPI has it: a text, or a list of what is wrong where. */
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

/** Such as `messages[0].content`, without the part of the request that it is in. */
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
  const told = Object.entries(all).filter(([, field]) => field !== undefined);
  return { ...Object.fromEntries(told), ...(details !== undefined && { details }) };
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

/** The code by which clients know that a prompt is too long, whoever says so. */
export const contextLengthCode = 'context_length_exceeded';

/** How upstreams say it that give no code. */
const said = [
  /prompt is too long/i,
  /maximum context length/i,
  /context[ _](?:length|window|size)[^.]{0,40}\bexceed/i,
  /exceed\w*[^.]{0,40}\bcontext[ _](?:length|window|size|limit)/i,
  /input token count[^.]{0,40}\bexceeds/i,
  /too large for model with \d+ maximum context/i,
];

/** Whether an upstream's error means that the prompt, or it and the answer, does not fit into the model. */
export function isContextLength(message: string | undefined, ...codes: unknown[]): boolean {
  if (codes.includes(contextLengthCode) || codes.includes('exceed_context_size_error')) return true;
  return message !== undefined && said.some(pattern => pattern.test(message));
}

type Headers = Record<string, string | string[] | undefined>;

/** The longest time that a client is told to wait, in milliseconds. */
export const maxMs = 3_600_000;

/**
 * How long an upstream asks to be left alone: in seconds, or until a date, which is measured from the response's own.
 * What is no time to wait says nothing.
 */
export function retryAfter(headers: Headers): { retryAfterMs?: number } {
  const exact = Number(text(headers['retry-after-ms']) || Number.NaN);
  if (isTime(exact)) return { retryAfterMs: Math.min(exact, maxMs) };
  const given = text(headers['retry-after']);
  const seconds = Number(given || Number.NaN);
  // A date that has passed asks for no wait; a number below 0 is a mistake.
  const until = Math.max(0, Date.parse(given) - Date.parse(text(headers.date)));
  const ms = Number.isNaN(seconds) ? until : seconds * 1000;
  return isTime(ms) ? { retryAfterMs: Math.min(ms, maxMs) } : {};
}

function isTime(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0;
}

function text(header: string | string[] | undefined): string {
  return (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
}
