import { answerBounds, exceededBound, GatewayError, parseExact } from '@model-gateway/canonical';
import { stepBytes } from '@model-gateway/service';
import { EventTooLarge } from '@model-gateway/sse';

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

/** Returns the error for a stream whose events could not be split or parsed. `cause` is the thrown error. */
export function unreadable(cause: unknown): GatewayError {
  const what = cause instanceof EventTooLarge ? 'an event that is too large' : 'a malformed event';
  return new GatewayError('upstream', `The upstream sent ${what}.`, {}, { cause });
}
