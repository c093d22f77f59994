import { GatewayError, type GenerateEvent, toErrorEvent } from '@model-gateway/canonical';
import { EventTooLarge } from '@model-gateway/sse';
import type { z } from 'zod';

/** The most characters of a fault, which may name a field of the upstream's own. */
const maxFault = 200;

/** The message about an answer that cannot be read. */
export const malformedAnswer = 'The upstream sent a malformed answer.';

/** Returns the error for a part of an answer that cannot be read. `fault` names it for the log, without the text of the answer. */
export function malformed(what: 'event' | 'answer', fault: string): GatewayError {
  const details = { fault: fault.slice(0, maxFault) };
  return new GatewayError('upstream', `The upstream sent a malformed ${what}.`, details);
}

/** Parses a part of an event. @throws GatewayError if it does not match the schema */
export function wellFormed<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw malformed('event', faultOf(error, value));
}

/** Names the first field that does not match a schema, after the type of its event. */
export function faultOf({ issues }: z.ZodError, value: unknown): string {
  const { type } = Object(value) as { type?: unknown };
  const [issue] = issues;
  const place = [
    ...(typeof type === 'string' ? [type] : []),
    ...(issue?.path.length ? [issue.path.join('.')] : []),
  ];
  return [...place, issue?.message].join(': ');
}

export function cutOff(): GatewayError {
  return new GatewayError('upstream', 'The upstream ended its answer too early.');
}

export function twoAnswers(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent two answers in place of one.');
}

export function tooLargeEvent(cause: EventTooLarge): GatewayError {
  return new GatewayError('upstream', 'The upstream sent an event that is too large.', {}, { cause });
}

/** Returns the last event of a response that cannot be decoded. Rethrows an error that the upstream did not cause. */
export function errorEvents(thrown: unknown): GenerateEvent[] {
  if (thrown instanceof GatewayError) return [toErrorEvent(thrown)];
  if (thrown instanceof EventTooLarge) return [toErrorEvent(tooLargeEvent(thrown))];
  // A schema lists every fault, and takes no more of them than a call takes arguments.
  // Numbers are read as they are written only within the nesting that everything that reads them takes.
  if (thrown instanceof SyntaxError) return [toErrorEvent(malformed('answer', 'it nests too deep'))];
  if (thrown instanceof RangeError) return [toErrorEvent(malformed('event', 'it has too many faults'))];
  throw thrown;
}
