import type { UsageEntry } from '@model-gateway/admin-api';

/** A bar of a timeline. Times are milliseconds since the request began. */
export interface TimelineBar {
  label: string;
  kind: 'waiting' | 'answered' | 'failed' | 'cancelled' | 'running';
  from: number;
  to: number;
  /** The time at which a stream began; null if it did not, or the answer came whole. */
  firstAt: number | null;
  /** The reason of a failure; null if there was none. */
  error: string | null;
}

/** The course of a request. `startedAt` is null where only its attempts are known, so that the time before them is not. */
export interface Timeline {
  startedAt: number;
  ms: number;
  bars: TimelineBar[];
}

/** A request that runs, beside the attempts that have ended. */
interface Running {
  provider: string | null;
  upstreamModel: string | null;
  firstMs: number | null;
}

const kinds: Record<string, TimelineBar['kind']> = { answered: 'answered', cancelled: 'cancelled' };

/** Pauses that are shorter are not waiting: they are the way between processes, and their clocks. */
const shortestPauseMs = 5;

/**
 * Makes the timeline of a request from its attempts, oldest first. `at` is its start and `ms` its age, where they are known; times are
 * milliseconds since 1970.
 */
export function timelineOf(
  attempts: readonly UsageEntry[],
  {
    at,
    ms,
    running,
  }: { at?: number | undefined; ms?: number | undefined; running?: Running | undefined } = {},
): Timeline {
  const begun = attempts.map(attempt => Date.parse(attempt.at));
  const startedAt = Math.min(...(at === undefined ? [] : [at]), ...begun);
  const bars: TimelineBar[] = [];
  let until = 0;
  const waitUntil = (from: number) => {
    if (from - until > shortestPauseMs)
      bars.push({ label: 'Waiting', kind: 'waiting', from: until, to: from, firstAt: null, error: null });
  };
  for (const [place, attempt] of attempts.entries()) {
    const from = (begun[place] as number) - startedAt;
    waitUntil(from);
    bars.push({
      label: targetOf(attempt),
      kind: kinds[attempt.outcome] ?? 'failed',
      from,
      to: from + attempt.ms,
      firstAt: attempt.stream && attempt.firstMs !== null ? from + attempt.firstMs : null,
      error: attempt.outcome === 'lost' ? 'lost with its worker' : attempt.error,
    });
    until = Math.max(until, from + attempt.ms);
  }
  const end = Math.max(until, ms ?? 0);
  if (running) {
    const { provider, firstMs } = running;
    const label = provider ? targetOf({ ...running, provider }) : 'Waiting';
    const kind = provider ? 'running' : 'waiting';
    bars.push({ label, kind, from: until, to: end, firstAt: firstMs, error: null });
  }
  return { startedAt, ms: end, bars };
}

function targetOf({ provider, upstreamModel }: { provider: string; upstreamModel: string | null }): string {
  return upstreamModel ? `${provider} · ${upstreamModel}` : provider;
}
