import { answerBounds, exceededBound, parseExact } from '@model-gateway/json';
import { stepBytes } from '@model-gateway/service';
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

/** Same as {@link readJson}, but keeps numbers as written. */
export function readExactJson(text: string): unknown {
  return readJson(text, parseExact);
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

/** An event of an upstream's stream. */
export interface StreamEvent extends SseEvent {
  /** The parsed data, if it was parsed ahead; its `value` is undefined for malformed data. */
  ahead?: { value: unknown };
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
  /** The bytes of the event before and after the text; empty until one is learnt. */
  #before = Buffer.alloc(0);
  #after = Buffer.alloc(0);
  #learnt = 0;

  /** Returns the number of characters of the texts of whole events; undefined if one of the events must be parsed. */
  charactersIn(whole: Buffer): number | undefined {
    const before = this.#before;
    const after = this.#after;
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
   * Learns the shape of an event, which is one of the events in `whole`. Its text is the value of a field `key`, and `textIn` finds it in
   * parsed data.
   */
  learn<Parsed>(
    { data, ahead }: StreamEvent,
    parsed: Parsed,
    key: string,
    textIn: (parsed: Parsed) => unknown,
    whole: Buffer,
  ): void {
    const text = textIn(parsed);
    if (ahead || typeof text !== 'string' || text === '' || this.#learnt === maxShapes) return;
    this.#learnt++;
    this.#before = this.#before.subarray(0, 0);
    const event = splitEvents(whole.toString('utf8')).find(each => each.includes(data));
    if (event === undefined) return;
    const written = JSON.stringify(text);
    const at = data.indexOf(`"${key}":${written}`) + key.length + 4;
    const end = at + written.length - 2;
    const other = readJson(`${data.slice(0, at)}${probe}${data.slice(end)}`);
    if (other === undefined || textIn(other as Parsed) !== probe) return;
    const start = event.indexOf(data);
    this.#before = Buffer.from(event.slice(0, start + at));
    this.#after = Buffer.from(event.slice(start + end));
  }
}

const probe = 'probe of the gateway';

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
