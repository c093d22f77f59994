import { answerBounds, exceededBound, GatewayError, parseExact } from '@model-gateway/canonical';
import { stepBytes } from '@model-gateway/service';
import { EventTooLarge } from '@model-gateway/sse';

/** Reads what an upstream sent at once; undefined for a text that is no JSON, or that exceeds {@link answerBounds}. */
export function readJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  if (text.length > stepBytes && exceededBound(text, answerBounds)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The same, with numbers kept as they were written. */
export function readExactJson(text: string): unknown {
  return readJson(text, parseExact);
}

/** The same of a JSON object's fields; undefined for any other value, too. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  return objectIn(readJson(text));
}

/** A value that is a JSON object. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** What a stream fails of whose events could not be told apart or read; `cause` is what was thrown. */
export function unreadable(cause: unknown): GatewayError {
  const what = cause instanceof EventTooLarge ? 'an event that is too large' : 'a malformed event';
  return new GatewayError('upstream', `The upstream sent ${what}.`, {}, { cause });
}
