import type { Rest } from '@model-gateway/catalog';

/** Time for which a target that fails repeatedly rests, in milliseconds. Then one request at a time probes it. */
export const restMs = 5_000;
/** A target that fails repeatedly again within `flapMs` of its recovery rests twice as long as before, at most `longestRestMs`. */
export const flapMs = 60_000;
export const longestRestMs = 60_000;
/** Time for which the other processes leave the first probe to the one that put a target to rest, in milliseconds. */
export const probeGraceMs = 1_000;
/** Time after which another request may probe although the last probe has not ended, in milliseconds. */
export const longestProbeMs = 30_000;

/** True while a request probes the rest, and has not taken too long for it. */
export function isProbed({ probedAt = Number.NEGATIVE_INFINITY }: Rest, now: number): boolean {
  return now - probedAt < longestProbeMs;
}

/** Returns a rest that another process wrote, with its times by the clock of this one if the writer's is ahead. */
export function inOwnTime(rest: Rest, now: number): Rest {
  const ahead = rest.version - now;
  if (ahead <= 0 || rest.until === 0) return rest;
  const { probedAt } = rest;
  const times = { since: Math.max(0, rest.since - ahead), until: Math.max(1, rest.until - ahead) };
  return { ...rest, ...times, ...(probedAt !== undefined && { probedAt: Math.max(0, probedAt - ahead) }) };
}

/** Time for which a target that fails repeatedly rests, in milliseconds, after an earlier rest or none. */
export function restLength(earlier: Rest | undefined, now: number): number {
  const { lengthMs = restMs, until, version } = earlier ?? { until: 0, version: 0 };
  if (until > 0) return lengthMs;
  return now - version < flapMs ? Math.min(longestRestMs, 2 * lengthMs) : restMs;
}
