import type { Rest } from '@model-gateway/catalog';
import type { TargetFailure } from '../attempts/target-failure.ts';

/** Time for which a target that fails repeatedly rests, in milliseconds. Then one request at a time probes it. */
export const restMs = 5_000;
/** A target that fails repeatedly again within `flapMs` of its recovery rests twice as long as before, at most `longestRestMs`. */
export const flapMs = 60_000;
export const longestRestMs = 60_000;
/** Time for which the other processes leave the first probe to the one that put a target to rest, in milliseconds. */
export const probeGraceMs = 1_000;
/** Time in which a target that a probe has not decided on is not probed again, in milliseconds. */
export const undecidedMs = 1_000;
/** Time by which a rest must grow to be written again, in milliseconds: an outage has many failures. */
const leastGrowthMs = 1_000;
/** Time after which another request may probe although the last probe has not ended, in milliseconds. */
export const longestProbeMs = 30_000;

/** True while a request probes the rest, and has not taken too long for it. */
export function isProbed({ probedAt = Number.NEGATIVE_INFINITY }: Rest, now: number): boolean {
  return now - probedAt < longestProbeMs;
}

/** Returns a rest that another process wrote, with its times by the clock of this one if the writer's is ahead. */
export function inOwnTime(rest: Rest, now: number): Rest {
  const { writtenAt = now, probedAt } = rest;
  const ahead = writtenAt - now;
  if (ahead <= 0 || rest.until === 0) return rest;
  const times = { since: Math.max(0, rest.since - ahead), until: Math.max(1, rest.until - ahead) };
  return { ...rest, ...times, ...(probedAt !== undefined && { probedAt: Math.max(0, probedAt - ahead) }) };
}

/** True for a rest that no success has ended. */
export function isResting(rest: Rest | undefined): rest is Rest {
  return rest !== undefined && rest.until > 0;
}

/** Returns a rest whose probe ended without an outcome, so that another request probes it a moment later. */
export function undecided(rest: Rest, now: number): Rest {
  return { ...rest, version: Math.max(now, rest.version + 1), probedAt: now - longestProbeMs + undecidedMs };
}

/** Returns the rest of a target or key that failed at `now`, after an earlier one or none; undefined if that is as long. */
export function restAfter(
  { ofKey, asksMs, error }: TargetFailure,
  earlier: Rest | undefined,
  now: number,
): Omit<Rest, 'provider' | 'key' | 'model' | 'by'> | undefined {
  const resting = isResting(earlier);
  const lengthMs = asksMs ?? restLength(earlier, now);
  const until = Math.max(now + lengthMs, resting ? earlier.until : 0);
  if (resting && earlier.probedAt === undefined && until < earlier.until + leastGrowthMs) return undefined;
  return {
    version: Math.max(now, (earlier?.version ?? 0) + 1),
    reason: ofKey ? 'refused-key' : asksMs === undefined ? 'failures' : 'asked',
    error,
    since: resting ? earlier.since : now,
    until,
    ...(asksMs === undefined && { lengthMs }),
  };
}

/** Time for which a target that fails repeatedly rests, in milliseconds, after an earlier rest or none. */
function restLength(earlier: Rest | undefined, now: number): number {
  if (!earlier?.lengthMs) return restMs;
  const { lengthMs, until, version } = earlier;
  if (until > 0) return lengthMs;
  return now - version < flapMs ? Math.min(longestRestMs, 2 * lengthMs) : restMs;
}
