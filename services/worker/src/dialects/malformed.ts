import { GatewayError, type GenerateEvent, toErrorEvent } from '@model-gateway/canonical';
import { EventTooLarge } from '@model-gateway/sse';
import type { z } from 'zod';

export function malformed(what: 'event' | 'answer', cause?: unknown): GatewayError {
  return new GatewayError('upstream', `The upstream sent a malformed ${what}.`, {}, { cause });
}

/** Parses a part of an event. @throws GatewayError if it does not match the schema */
export function wellFormed<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw malformed('event', error);
}

export function cutOff(): GatewayError {
  return new GatewayError('upstream', 'The upstream ended its answer too early.');
}

export function tooLargeEvent(cause: EventTooLarge): GatewayError {
  return new GatewayError('upstream', 'The upstream sent an event that is too large.', {}, { cause });
}

/** Returns the last event of a response that cannot be decoded. Rethrows an error that the upstream did not cause. */
export function errorEvents(thrown: unknown): GenerateEvent[] {
  if (thrown instanceof GatewayError) return [toErrorEvent(thrown)];
  if (thrown instanceof EventTooLarge) return [toErrorEvent(tooLargeEvent(thrown))];
  throw thrown;
}
