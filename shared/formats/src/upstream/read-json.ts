import { answerBounds, exceededBound, stepBytes } from '@model-gateway/json';
import { type SseEvent, splitEvents } from '@model-gateway/sse';

/** Parses JSON text. */
export type Parse = (text: string) => unknown;

/** Parses JSON of an upstream; undefined if it is malformed or exceeds {@link answerBounds}. */
export function readJson(text: string, parse: Parse = JSON.parse): unknown {
  if (text.length > stepBytes && exceededBound(text, answerBounds)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Same as {@link readJson}, but returns undefined for any value other than an object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  return objectIn(readJson(text));
}

/** Returns the value if it is a JSON object, else undefined. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** True for a value that says nothing: null, false, 0, an empty text, or a list or an object of nothing else. */
export function isBlank(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return !value;
  return Object.values(value).every(isBlank);
}

/** An event of an upstream's stream. */
export interface StreamEvent extends SseEvent {
  /** The parsed data, if it was parsed ahead; its `value` is undefined for malformed data. */
  ahead?: { value: unknown };
  /** The text that is passed on in its place; empty if it is left out. */
  sent?: string;
}

/** Parses an event's data; undefined if it is malformed or exceeds {@link answerBounds}. */
export function eventJson({ data, ahead }: StreamEvent, parse: Parse = JSON.parse): unknown {
  return ahead ? ahead.value : readJson(data, parse);
}

/** Same as {@link eventJson}, but returns undefined for any value other than an object. */
export function eventObject(event: StreamEvent): Record<string, unknown> | undefined {
  return objectIn(eventJson(event));
}

/** The most shapes that are learnt of a stream: some upstreams write a random field into each event. */
const maxShapes = 4;

/** Recognizes the events of a stream that differ from an earlier one in one text alone. They need not be parsed. */
export class TextEvents {
  #name: string | undefined;
  /** The data before and after the text; empty until an event is learnt. */
  #before = '';
  #after = '';
  /** The bytes of the event before and after the text. */
  #bytesBefore = noBytes;
  #bytesAfter = noBytes;
  #learnt = 0;

  /** Returns the number of characters of the texts of whole events; undefined if one of the events is of another shape. */
  charactersIn(whole: Buffer): number | undefined {
    const before = this.#bytesBefore;
    const after = this.#bytesAfter;
    if (before.length === 0) return undefined;
    let characters = 0;
    for (let at = 0; at < whole.length; ) {
      const from = at + before.length;
      if (!has(whole, at, before)) return undefined;
      const to = endOfText(whole, from);
      if (to < 0 || !has(whole, to, after)) return undefined;
      characters += charactersOf(whole, from, to);
      at = to + after.length;
    }
    return characters;
  }

  /**
   * Returns the number of characters of an event's text; undefined for an event that must be parsed. Slices are compared in words,
   * where `startsWith` and `endsWith` take each character by itself: six times as long.
   */
  charactersOf({ event, data, ahead }: StreamEvent): number | undefined {
    if (this.#before === '' || ahead || event !== this.#name) return undefined;
    const from = this.#before.length;
    const to = data.length - this.#after.length;
    if (to < from || data.slice(0, from) !== this.#before || data.slice(to) !== this.#after) return undefined;
    return isPlain(data, from, to) ? to - from : undefined;
  }

  /**
   * Learns the shape of an event, which is one of the events in `whole`. Its text is the value of a field `key`, and `textIn` finds it in
   * parsed data.
   */
  learn<Parsed>(
    { event, data, ahead }: StreamEvent,
    parsed: Parsed,
    key: string,
    textIn: (parsed: Parsed) => unknown,
    whole: Buffer,
  ): void {
    const text = textIn(parsed);
    if (ahead || typeof text !== 'string' || text === '' || this.#learnt === maxShapes) return;
    this.#learnt++;
    const written = JSON.stringify(text);
    const at = data.indexOf(`"${key}":${written}`) + key.length + 4;
    const before = data.slice(0, at);
    const after = data.slice(at + written.length - 2);
    const other = readJson(`${before}${probe}${after}`);
    const isFound = other !== undefined && textIn(other as Parsed) === probe;
    this.#name = event;
    this.#before = isFound ? before : '';
    this.#after = after;
    const lines = isFound && splitEvents(whole.toString('utf8')).find(each => each.includes(data));
    const start = lines ? lines.indexOf(data) : 0;
    this.#bytesBefore = lines ? Buffer.from(lines.slice(0, start) + before) : noBytes;
    this.#bytesAfter = lines ? Buffer.from(after + lines.slice(start + data.length)) : noBytes;
  }
}

const probe = 'probe of the gateway';
const noBytes = /* @__PURE__ */ Buffer.alloc(0);

/** True if a part of a JSON text is the inside of a string without escapes. */
function isPlain(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === quote || code === backslash) return false;
  }
  return true;
}

/** True if `part` is at this offset of the bytes. */
function has(bytes: Buffer, at: number, part: Buffer): boolean {
  const end = at + part.length;
  return end <= bytes.length && bytes.compare(part, 0, part.length, at, end) === 0;
}

/** Returns the offset of the quote after a string of JSON without escapes; -1 for one with escapes, or without an end. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) return at;
    if (byte < 0x20 || byte === backslash) return -1;
  }
  return -1;
}

/** Returns the length of UTF-8 in UTF-16 units: one for the first byte of a character, two if the character has four bytes. */
function charactersOf(bytes: Buffer, from: number, to: number): number {
  let characters = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x80 || byte >= 0xc0) characters += byte >= 0xf0 ? 2 : 1;
  }
  return characters;
}

const quote = 0x22;
const backslash = 0x5c;
