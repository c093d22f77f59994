import { blanksEnd, maxNesting, stringEnd } from './text.ts';

/** Upper bounds on the content of one JSON text. */
interface JsonBounds {
  /** Objects, arrays, strings, numbers, booleans and nulls. */
  values: number;
  /** Integers in arrays, such as token ids. They are cheap and not counted as values. */
  integers: number;
  /** Items of one array, except integers, and members of one object. */
  items: number;
  /** The characters of a top-level key, and of a number; {@link maxJsonToken} if absent. */
  token?: number;
}

/** Bounds of a client's request. */
export const requestBounds: JsonBounds = { values: 100_000, integers: 300_000, items: 10_000 };
/**
 * Bounds of JSON that an upstream sends at once. Log probabilities, for example, are as long as the answer.
 */
export const answerBounds: JsonBounds = {
  values: 300_000,
  integers: 3_000_000,
  items: Number.POSITIVE_INFINITY,
};

/** The longest top-level key or number, in characters. */
export const maxJsonToken = 1_000;

type JsonBound = 'nesting' | 'values' | 'integers' | 'items' | 'members' | 'keys' | 'numbers';

/** A bound that a JSON text exceeds. */
export interface ExceededBound {
  bound: JsonBound;
  /** Predicate of an error message: `holds more than 100000 JSON values`. */
  words: string;
  /** Top-level member that exceeds the bound, cut to 100 characters. */
  member: string | undefined;
}

/** Facts about a JSON text, found without parsing it. */
interface JsonScan {
  /** First bound that the text exceeds; the scan stops there. */
  exceeded?: ExceededBound;
  /** Keys of the top-level object, in order. A key that occurs twice is listed twice. */
  keys: string[];
  /** Number of values, including integers in arrays. */
  values: number;
  /** True if the text may contain a number that JavaScript reads and writes differently. */
  inexact: boolean;
}

const words: Record<JsonBound, (bounds: JsonBounds) => string> = {
  nesting: () => `nests more than ${maxNesting} levels deep`,
  values: ({ values }) => `holds more than ${values} JSON values`,
  integers: ({ integers }) => `holds more than ${integers} integers in arrays`,
  items: ({ items }) => `holds an array of more than ${items} items`,
  members: ({ items }) => `holds an object of more than ${items} members`,
  keys: () => `holds a key of more than ${maxJsonToken} characters`,
  numbers: () => `holds a number of more than ${maxJsonToken} characters`,
};

/** Counts the content of a JSON text, up to the first bound that it exceeds. The text may be invalid JSON. */
export function scanJson(text: string, bounds: JsonBounds = requestBounds): JsonScan {
  const counts = new Counts(bounds);
  const { token = maxJsonToken } = bounds;
  const keys: string[] = [];
  let lastString = '""';
  let at = 0;
  while (at < text.length) {
    const c = text.charCodeAt(at);
    let end = at + 1;
    if (c <= space) {
      at = blanksEnd(text, end);
      continue;
    }
    if (c === quote) {
      end = stringEnd(text, at);
      if (counts.depth === 1) lastString = end - at > token ? tooLong : text.slice(at, end);
      counts.value();
    } else if ((c >= zero && c <= nine) || c === minus) {
      end = numberEnd(text, at);
      counts.number(text, at, end);
    } else if (c === colon) {
      if (counts.depth === 1 && lastString === tooLong) counts.bound = 'keys';
      else if (counts.depth === 1) keys.push(unescaped(lastString));
      counts.member();
    } else if (c === openBrace || c === openBracket) counts.open(c === openBracket);
    else if (c === closeBrace || c === closeBracket) counts.close();
    else if (c === comma) counts.next();
    // `true`, `false` and `null`.
    else if (c >= letterA && c <= letterZ) counts.value();
    const { bound } = counts;
    if (bound) {
      const member = keys.at(-1)?.slice(0, 100);
      return {
        keys,
        values: counts.all,
        inexact: counts.inexact,
        exceeded: { bound, words: words[bound](bounds), member },
      };
    }
    at = end;
  }
  return { keys, values: counts.all, inexact: counts.inexact };
}

/** Returns the first bound that a JSON text exceeds, as a predicate of an error message. */
export function exceededBound(text: string, bounds?: JsonBounds): string | undefined {
  return scanJson(text, bounds).exceeded?.words;
}

/** True for a JSON object, false for an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a client's or an upstream's message; undefined if it is not a JSON object or exceeds a JSON bound. */
export function parseJsonObject(data: Uint8Array): Record<string, unknown> | undefined {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8');
  try {
    const value: unknown = exceededBound(text) ? undefined : JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The open containers at one position of a text, and the counts up to there. */
class Counts {
  readonly #bounds: JsonBounds;
  readonly #token: number;
  depth = 0;
  bound: JsonBound | undefined;
  inexact = false;
  #values = 1;
  #integers = 0;
  /** Items or members of each open container, outermost first. */
  readonly #sizes: number[] = [0];
  readonly #isArray: boolean[] = [false];
  /** True if the next value is an item of an array: after its bracket or a comma. */
  #item = false;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
    this.#token = bounds.token ?? maxJsonToken;
  }

  get all(): number {
    return this.#values + this.#integers;
  }

  /** Counts a value that is an item of an array. A member's value is counted with its colon. */
  value(): void {
    if (!this.#item) return;
    this.#item = false;
    this.#count('items');
  }

  number(text: string, start: number, end: number): void {
    const integer = isInteger(text, start, end);
    // JavaScript writes integers of up to 15 digits unchanged; other numbers it may reformat.
    this.inexact ||= !integer || end - start > 15;
    if (end - start > this.#token) this.bound = 'numbers';
    if (!this.#item || !integer) return this.value();
    this.#item = false;
    if (++this.#integers > this.#bounds.integers) this.bound = 'integers';
  }

  member(): void {
    this.#count('members');
  }

  open(isArray: boolean): void {
    this.value();
    if (++this.depth > maxNesting) this.bound = 'nesting';
    this.#sizes[this.depth] = 0;
    this.#isArray[this.depth] = isArray;
    this.#item = isArray;
  }

  close(): void {
    if (this.depth > 0) this.depth--;
    this.#item = false;
  }

  next(): void {
    this.#item = this.#isArray[this.depth] === true;
  }

  #count(bound: 'items' | 'members'): void {
    const size = (this.#sizes[this.depth] ?? 0) + 1;
    this.#sizes[this.depth] = size;
    if (++this.#values > this.#bounds.values) this.bound ??= 'values';
    else if (size > this.#bounds.items) this.bound ??= bound;
  }
}

function numberEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c >= zero && c <= nine) continue;
    if (c === comma || c === closeBracket || c === closeBrace || c <= space) return at;
  }
  return at;
}

function isInteger(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c < zero || c > nine) return false;
  }
  return true;
}

/** Placeholder for a string that is too long to be a key. */
const tooLong = '""…';

/** Returns a key without quotes and escapes; an invalid one is left for the parser to reject. */
function unescaped(string: string): string {
  if (!string.includes('\\')) return string.slice(1, -1);
  try {
    return JSON.parse(string);
  } catch {
    return string;
  }
}

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const letterA = 0x61;
const letterZ = 0x7a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
