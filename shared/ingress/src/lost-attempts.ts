import type { Tried } from '@model-gateway/bus';
import { recordHead, type UsageRecord } from '@model-gateway/canonical';

/**
 * What a caller can tell of attempts whose worker was lost: what it was shown came from the last one, and from those that
 * asked the same for other choices of the answer. `now` is in milliseconds since 1970.
 */
export function recordLost({ envelope, attempts, shown, usage }: Tried, now: number): UsageRecord[] {
  const last = attempts.at(-1);
  // Each attempt of a session answers another question.
  const session = envelope.operation === 'realtime';
  return attempts.map((attempt, i) => {
    const at = timeOf(attempt.id);
    const answering = session || (attempt.provider === last?.provider && attempt.model === last.model);
    return {
      ...recordHead(envelope, attempt),
      at,
      ms: now - at,
      outcome: usage && answering ? 'answered' : 'lost',
      charged: shown && answering,
      // What was told is of all of them.
      usage: i === attempts.length - 1 ? usage : null,
      byCaller: true,
    };
  });
}

/** A UUIDv7 begins with the time at which it was made. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
