import type { AnnouncedAttempts } from '@model-gateway/bus';
import { estimateUsage, partOf, recordHead, type Usage, type UsageRecord } from '@model-gateway/canonical';

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
  const estimate = usage ? null : estimateOf(lost, attempts.filter(isAnswering).length, now);
  const brokenOff = ended === 'unaccepted' ? 'cancelled' : 'lost';
  return attempts.map((attempt, i) => {
    const at = timeOf(attempt.id);
    const answering = isAnswering(attempt);
    // The reported usage is the sum of all attempts.
    const used = (i === attempts.length - 1 ? usage : null) ?? (answering ? estimate : null);
    const response = usageInSession(lost, i);
    return {
      ...recordHead(envelope, attempt),
      at,
      ms: now - at,
      outcome: (ended === 'answered' && answering) || response?.ended ? 'answered' : brokenOff,
      ...(endedBy && { endedBy }),
      charged: isCharged && answering,
      ...((isFollowed || (!session && i < attempts.length - 1)) && { final: false }),
      usage: response ? response.usage : used,
      ...((response ? !response.ended : used !== null && used === estimate) && { estimated: true }),
      byCaller: true,
    };
  });
}

/**
 * Returns what a response of a realtime session at a provider has used: an estimate if it had not ended, and of those that had ended the
 * usage of the last one. Undefined for others, which the worker had recorded before.
 */
function usageInSession(
  { session, attempts }: AnnouncedAttempts,
  i: number,
): { usage: Usage; ended: boolean } | undefined {
  if (!session) return undefined;
  const place = attempts.length - i;
  if (place <= session.open)
    return { usage: session.estimate(attempts[i]?.input ?? 0, place === 1), ended: false };
  return session.usage && place === session.open + 1 ? { usage: session.usage, ended: true } : undefined;
}

/** Returns an estimate of what each of several attempts has used; null if that is not known, or nothing. */
function estimateOf(lost: AnnouncedAttempts, attempts: number, now: number) {
  const { ended, envelope, delivered, passed } = lost;
  const isUsed = ended !== 'unopened' && ended !== 'unaccepted' && (ended !== 'failed' || delivered);
  if (!isUsed || !envelope.estimate) return null;
  // Choices of one answer have the whole prompt each.
  const prompt = envelope.operation === 'generate' ? envelope.estimate : partOf(envelope.estimate, attempts);
  const [first] = lost.attempts;
  const silentMs = passed && first && Math.max(0, (passed.silentUntil ?? now) - timeOf(first.id));
  return estimateUsage(prompt, (passed?.characters ?? 0) / attempts, passed?.usage ?? null, silentMs);
}

/** Returns the time in a UUIDv7, in milliseconds since 1970. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
