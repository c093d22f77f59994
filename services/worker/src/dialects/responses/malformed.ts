import { GatewayError } from '@model-gateway/canonical';
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
