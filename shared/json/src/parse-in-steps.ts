import { scanJson } from './bounds.ts';
import { blanksEnd, maxNesting, stringEnd, topLevelSpans, valueEnd } from './text.ts';

/** Separates the steps of a task: resolves when its next step may run. */
export type Turn = () => Promise<void>;

/** Characters of JSON that are parsed or written in one step; a shorter text is handled at once. */
export const jsonStep = 1024 * 1024;

/** Work on more bytes than this is done in steps, or outside the event loop. */
export const stepBytes = 256 * 1024;

/** Parses the complete JSON text of one value. */
type Read = (text: string) => unknown;

/**
 * Parses a text with `read`; the text must nest no deeper than `maxNesting`. A long text is parsed in steps
 * of about `step` characters, so that it does not block the event loop.
 * @throws SyntaxError if the text is not JSON
 */
export async function parseInSteps(
  text: string,
  turn: Turn,
  read: Read = JSON.parse,
  step = jsonStep,
): Promise<unknown> {
  if (text.length <= step) return read(text);
  const large = largeValues(text, step);
  await turn();
  const start = blanksEnd(text, 0);
  const end = large.get(start);
  if (end === undefined) return read(text);
  const parser = new SteppedParser(text, large, { turn, read, step });
  const value = await parser.value(start, end);
  if (blanksEnd(text, end) < text.length) throw notJson(text, end);
  return value;
}

interface Steps {
  turn: Turn;
  read: Read;
  step: number;
}

/** A range of a text. */
interface Slice {
  start: number;
  end: number;
}

/**
 * Splits a text only where it is large. Runs of smaller values are parsed together, as one object or array,
 * by `read`, which also rejects invalid JSON.
 */
class SteppedParser {
  readonly #text: string;
  readonly #large: ReadonlyMap<number, number>;
  readonly #steps: Steps;

  constructor(text: string, large: ReadonlyMap<number, number>, steps: Steps) {
    this.#text = text;
    this.#large = large;
    this.#steps = steps;
  }

  /** Parses a large value. */
  value(start: number, end: number): Promise<unknown> {
    switch (this.#text[start]) {
      case '"':
        return this.#string(start, end);
      case '[':
        return this.#array(start, end);
      default:
        return this.#object(start, end);
    }
  }

  async #array(start: number, end: number): Promise<unknown[]> {
    const list: unknown[] = [];
    const take = (read: unknown[]) => {
      for (const value of read) list.push(value);
    };
    let run: Slice | undefined;
    for (const item of this.#items(start, end)) {
      const largeEnd = this.#large.get(item.start);
      if (run && (largeEnd !== undefined || item.start - run.start > this.#steps.step)) {
        take((await this.#run(run, '[', ']')) as unknown[]);
        run = undefined;
      }
      if (largeEnd === undefined) run = { start: run?.start ?? item.start, end: item.end };
      else list.push(await this.value(item.start, item.end));
    }
    if (run) take((await this.#run(run, '[', ']')) as unknown[]);
    return list;
  }

  async #object(start: number, end: number): Promise<Record<string, unknown>> {
    const object: Record<string, unknown> = {};
    const take = (read: unknown) => {
      for (const [key, value] of Object.entries(read as object)) define(object, key, value);
    };
    let run: Slice | undefined;
    for (const { key, value } of this.#members(start, end)) {
      const large = this.#large.has(key.start) || this.#large.has(value.start);
      if (run && (large || key.start - run.start > this.#steps.step)) {
        take(await this.#run(run, '{', '}'));
        run = undefined;
      }
      if (large) define(object, (await this.#any(key)) as string, await this.#any(value));
      else run = { start: run?.start ?? key.start, end: value.end };
    }
    if (run) take(await this.#run(run, '{', '}'));
    return object;
  }

  /** Yields the range of each item, without parsing it. @throws SyntaxError for invalid text between items */
  *#items(start: number, end: number): Generator<Slice> {
    const text = this.#text;
    let at = blanksEnd(text, start + 1);
    if (text[at] === ']' && at === end - 1) return;
    for (;;) {
      const item = this.#slice(at);
      yield item;
      at = blanksEnd(text, item.end);
      if (text[at] === ']' && at === end - 1) return;
      if (text[at] !== ',') throw notJson(text, at);
      at = blanksEnd(text, at + 1);
    }
  }

  /**
   * Yields the range of each member, without parsing it. @throws SyntaxError for invalid text between them
   */
  *#members(start: number, end: number): Generator<{ key: Slice; value: Slice }> {
    const text = this.#text;
    let at = blanksEnd(text, start + 1);
    if (text[at] === '}' && at === end - 1) return;
    for (;;) {
      if (text[at] !== '"') throw notJson(text, at);
      const key = { start: at, end: stringEnd(text, at) };
      at = blanksEnd(text, key.end);
      if (text[at] !== ':') throw notJson(text, at);
      const value = this.#slice(blanksEnd(text, at + 1));
      yield { key, value };
      at = blanksEnd(text, value.end);
      if (text[at] === '}' && at === end - 1) return;
      if (text[at] !== ',') throw notJson(text, at);
      at = blanksEnd(text, at + 1);
    }
  }

  /** Returns the range of the value that begins at `start`. */
  #slice(start: number): Slice {
    const end = this.#large.get(start) ?? valueEnd(this.#text, start);
    if (end === start) throw notJson(this.#text, start);
    return { start, end };
  }

  /** Parses a value of any size by itself. */
  async #any({ start, end }: Slice): Promise<unknown> {
    if (this.#large.has(start)) return this.value(start, end);
    return this.#steps.read(this.#text.slice(start, end));
  }

  /** Parses adjacent values as one object or array. */
  async #run({ start, end }: Slice, open: string, close: string): Promise<unknown> {
    const read = this.#steps.read(`${open}${this.#text.slice(start, end)}${close}`);
    await this.#steps.turn();
    return read;
  }

  async #string(start: number, end: number): Promise<string> {
    const text = this.#text;
    const last = end - 1;
    if (text[last] !== '"' || afterEscape(text, start + 1, last) !== last) throw notJson(text, last);
    const backslashAt = text.indexOf('\\', start + 1);
    if (backslashAt < 0 || backslashAt >= last) return this.#plain(start + 1, last);
    const pieces: string[] = [];
    for (let at = start + 1; at < last; ) {
      const cut = Math.min(at + this.#steps.step, last);
      const until = Math.min(afterEscape(text, at, cut), last);
      pieces.push(JSON.parse(`"${text.slice(at, until)}"`));
      at = until;
      await this.#steps.turn();
    }
    return pieces.join('');
  }

  /** Returns a string without escapes as a slice of the text, which takes no extra memory. */
  async #plain(start: number, end: number): Promise<string> {
    const text = this.#text;
    for (let at = start; at < end; at += this.#steps.step) {
      const piece = text.slice(at, Math.min(at + this.#steps.step, end));
      if (control.test(piece)) throw notJson(text, at);
      await this.#steps.turn();
    }
    return text.slice(start, end);
  }
}

/** Characters that JSON allows in a string only as escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters searched for
const control = /[\u0000-\u001f]/;

/** Length of the longest escape, `\u0041`, minus its last character. */
const withinEscape = 5;
const backslash = 0x5c;

/** Returns the offset after the escape that `cut` splits, else `cut`. `from` must not be inside an escape. */
function afterEscape(text: string, from: number, cut: number): number {
  const near = Math.max(from, cut - withinEscape);
  let last = cut - 1;
  while (last >= near && text.charCodeAt(last) !== backslash) last--;
  if (last < near) return cut;
  let first = last;
  while (first > from && text.charCodeAt(first - 1) === backslash) first--;
  // In a run of backslashes, every second one completes an escape.
  if ((last - first) % 2 === 1) return cut;
  return Math.max(cut, last + (text[last + 1] === 'u' ? 6 : 2));
}

/** Sets a member like `JSON.parse`, also for the key `__proto__`. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

function notJson(text: string, at: number): SyntaxError {
  const found = at < text.length ? `Unexpected ${JSON.stringify(text[at])}` : 'Unexpected end';
  return new SyntaxError(`${found} in JSON at position ${at}`);
}

/**
 * Maps each string (also keys), object and array longer than `length`: from its offset to the offset after
 * it.
 * @throws SyntaxError if the text nests deeper than {@link maxNesting}
 */
function largeValues(text: string, length: number): Map<number, number> {
  const large = new Map<number, number>();
  const open: number[] = [];
  const note = (start: number, end: number) => {
    if (end - start > length) large.set(start, end);
  };
  for (let at = 0; at < text.length; ) {
    const c = text.charCodeAt(at);
    if (c === quote) {
      const end = stringEnd(text, at);
      note(at, end);
      at = end;
    } else if (c <= space) {
      at = blanksEnd(text, at + 1);
    } else {
      if (c === openBrace || c === openBracket) open.push(at);
      at++;
      const closes = c === closeBrace || c === closeBracket;
      if (closes && open.length > 0) note(open.pop() as number, at);
      if (open.length > maxNesting)
        throw new SyntaxError(`The JSON nests more than ${maxNesting} levels deep.`);
    }
  }
  for (const start of open) note(start, text.length);
  return large;
}

const space = 0x20;
const quote = 0x22;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Parses JSON so that `JSON.stringify` writes each number unchanged. A number that JavaScript would change,
 * such as an integer beyond 2^53, becomes raw JSON instead of a number.
 * @throws SyntaxError if the text is not JSON or nests too deep
 */
export function parseExact(text: string): unknown {
  const { exceeded, inexact } = scanJson(text, unbounded);
  if (exceeded) throw new SyntaxError(`The JSON ${exceeded.words}.`);
  // Nearly all texts have no such number and are parsed without a reviver.
  return inexact ? exact.parse(text, keepSource) : JSON.parse(text);
}

/**
 * Parses those top-level members of a JSON object whose key is in `keys`, like {@link parseExact}. `text`
 * must be valid JSON. Spread over the object that `JSON.parse` returns, the result makes these members exact.
 */
export function exactMembers(text: string, keys: readonly string[]): Record<string, unknown> {
  const members = topLevelSpans(text).filter(({ key }) => keys.includes(key));
  return Object.fromEntries(
    members.map(({ key, valueStart, valueEnd }) => [key, parseExact(text.slice(valueStart, valueEnd))]),
  );
}

/** Does the same as {@link exactMembers} in steps, for a large text. */
export async function exactMembersInSteps(
  text: string,
  keys: readonly string[],
  turn: Turn,
  step = jsonStep,
): Promise<Record<string, unknown>> {
  const members = topLevelSpans(text).filter(({ key }) => keys.includes(key));
  const read: [string, unknown][] = [];
  for (const { key, valueStart, valueEnd } of members) {
    await turn();
    read.push([key, await parseInSteps(text.slice(valueStart, valueEnd), turn, parseExact, step)]);
  }
  return Object.fromEntries(read);
}

function keepSource(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  return String(value) === source ? value : exact.rawJSON(source);
}

const unbounded = { values: Infinity, integers: Infinity, items: Infinity, token: Infinity };

/** Functions that JavaScript has since 2025 and TypeScript's library does not declare yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver: typeof keepSource): unknown;
  rawJSON(text: string): unknown;
};
