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
