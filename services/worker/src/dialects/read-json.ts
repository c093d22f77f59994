import { answerBounds, exceededBound, parseExact } from '@model-gateway/json';
import { stepBytes } from '@model-gateway/service';
import type { SseEvent } from '@model-gateway/sse';

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

/** Recognises the events of a stream that differ from an earlier one in one text alone. They need not be parsed. */
export class TextEvents {
  #name: string | undefined;
  /** The data before and after the text. */
  #before = '';
  #after = '';
  #learnt = 0;

  /**
   * Returns the number of characters of the text; undefined for an event that must be parsed. Slices are compared in words,
   * where `startsWith` and `endsWith` take each character by itself: six times as long.
   */
  charactersOf({ event, data, ahead }: StreamEvent): number | undefined {
    if (this.#before === '' || ahead || event !== this.#name) return undefined;
    const from = this.#before.length;
    const to = data.length - this.#after.length;
    if (to < from || data.slice(0, from) !== this.#before || data.slice(to) !== this.#after) return undefined;
    return isPlain(data, from, to) ? to - from : undefined;
  }

  /** Learns the shape of an event whose text is the value of a field `key`. `textIn` finds it in parsed data. */
  learn<Parsed>(
    { event, data, ahead }: StreamEvent,
    parsed: Parsed,
    key: string,
    textIn: (parsed: Parsed) => unknown,
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
  }
}

const probe = 'probe of the gateway';

/** True if a part of a JSON text is the inside of a string without escapes. */
function isPlain(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === quote || code === backslash) return false;
  }
  return true;
}

const quote = 0x22;
const backslash = 0x5c;
