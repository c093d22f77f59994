import { blanksEnd } from './blanks.ts';
import { maxNesting, stringEnd, valueEnd } from './nesting.ts';

/** Separates the steps of a task: resolves when its next step may run. */
export type Turn = () => Promise<void>;

/** The characters of JSON that are read, or written, in one step; a shorter text is read at once. */
export const jsonStep = 1024 * 1024;

/** Reads the whole JSON text of one value. */
type Read = (text: string) => unknown;

/**
 * What `read` gives for a text, which must nest no deeper than `maxNesting`. A long text is read in steps of about `step` characters,
 * so that no text keeps the event loop from its other work.
 * @throws SyntaxError for a text that is not JSON
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

/** A part of a text. */
interface Slice {
  start: number;
  end: number;
}

/**
 * Takes a text apart only where it is large: runs of smaller values are read together, as the members of one object or
 * array, by the parser that knows whether they are JSON.
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

  /** A value that is large. */
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

  /** The values of an array, as far as can be told without reading them. @throws SyntaxError for what stands between them */
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

  /** The same of an object's members. */
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

  /** The text of a value that begins at `start`. */
  #slice(start: number): Slice {
    const end = this.#large.get(start) ?? valueEnd(this.#text, start);
    if (end === start) throw notJson(this.#text, start);
    return { start, end };
  }

  /** A value of any size, in a step of its own. */
  async #any({ start, end }: Slice): Promise<unknown> {
    if (this.#large.has(start)) return this.value(start, end);
    return this.#steps.read(this.#text.slice(start, end));
  }

  /** Values that stand one after the other, as an object or array of their own. */
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

  /** A string without escapes: a view of the text, so that it takes no memory of its own. */
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

/** Characters that JSON has in a string as escapes alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const control = /[\u0000-\u001f]/;

/** The longest escape, `\u0041`, less its last character. */
const withinEscape = 5;
const backslash = 0x5c;

/** The offset after the escape that `cut` would cut in two; `cut` where it cuts none. `from` is not within an escape. */
function afterEscape(text: string, from: number, cut: number): number {
  const near = Math.max(from, cut - withinEscape);
  let last = cut - 1;
  while (last >= near && text.charCodeAt(last) !== backslash) last--;
  if (last < near) return cut;
  let first = last;
  while (first > from && text.charCodeAt(first - 1) === backslash) first--;
  // Of a run of backslashes, each second one is the other half of an escape.
  if ((last - first) % 2 === 1) return cut;
  return Math.max(cut, last + (text[last + 1] === 'u' ? 6 : 2));
}

/** Sets a member as `JSON.parse` does, whatever it is called. */
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
 * The strings, objects and arrays of a JSON text that are longer than `length`, keys among them: the offset after each by the
 * offset where it begins.
 * @throws SyntaxError for a text that nests deeper than {@link maxNesting}
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
