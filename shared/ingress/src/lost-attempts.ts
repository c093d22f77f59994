import type { AnnouncedAttempts } from '@model-gateway/bus';
import { estimateUsage, partOf, recordHead, type UsageRecord } from '@model-gateway/canonical';

/**
 * Builds the usage records of attempts whose worker was lost. Delivered output came from the last attempt, and from
 * those at the same target, which produced other choices of the response. What they used is estimated unless the response
 * reported it, and charged unless another attempt followed; the request ended with the last one unless another call followed. `now` is in milliseconds since 1970.
 */
export function recordLost(lost: AnnouncedAttempts, now: number): UsageRecord[] {
  const { ended, envelope, attempts, delivered, usage, endedBy } = lost;
  const last = attempts.at(-1);
  // Each attempt of a session serves another request.
  const session = envelope.operation === 'realtime';
  const isAnswering = (attempt: (typeof attempts)[number]) =>
    session || (attempt.provider === last?.provider && attempt.model === last.model);
  const isFollowed = ended === 'resent' || ended === 'given-up' || ended === 'unopened';
  const isCharged = delivered || ended === 'left' || ended === 'lost';
  const estimate = usage ? null : estimateOf(lost, attempts.filter(isAnswering).length);
  return attempts.map((attempt, i) => {
    const at = timeOf(attempt.id);
    const answering = isAnswering(attempt);
    // The reported usage is the sum of all attempts.
    const used = (i === attempts.length - 1 ? usage : null) ?? (answering ? estimate : null);
    return {
      ...recordHead(envelope, attempt),
      at,
      ms: now - at,
      outcome: ended === 'answered' && answering ? 'answered' : 'lost',
      ...(endedBy && { endedBy }),
      charged: isCharged && answering,
      ...((isFollowed || (!session && i < attempts.length - 1)) && { final: false }),
      usage: used,
      ...(used !== null && used === estimate && { estimated: true }),
      byCaller: true,
    };
  });
}

/** Returns an estimate of what each of several attempts has used; null if that is not known, or nothing. */
function estimateOf({ ended, envelope, delivered, passed }: AnnouncedAttempts, attempts: number) {
  const isUsed = ended !== 'unopened' && (ended !== 'failed' || delivered);
  if (!isUsed || !envelope.estimate) return null;
  // Choices of one answer have the whole prompt each.
  const prompt = envelope.operation === 'generate' ? envelope.estimate : partOf(envelope.estimate, attempts);
  return estimateUsage(prompt, (passed?.characters ?? 0) / attempts, passed?.usage ?? null);
}

/** Returns the time in a UUIDv7, in milliseconds since 1970. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
