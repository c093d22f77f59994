import { answerBounds, exceededBound, parseExact } from '@model-gateway/json';
import { stepBytes } from '@model-gateway/service';

/** Parses JSON of an upstream; undefined if it is malformed or exceeds {@link answerBounds}. */
export function readJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
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
