import type { UsageEntry } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';

/** Figures of recent attempts at a provider or a target. Times are in milliseconds. */
export interface AttemptFacts {
  attempts: number;
  /** Attempts that failed, or were lost with their worker. */
  failed: number;
  /** The median, and the time within which 95 of 100 answers began; null without an answer. */
  firstMs: { median: number; p95: number } | null;
}

type Attempt = Pick<UsageEntry, 'outcome' | 'firstMs'>;

/** True for an attempt that failed, or was lost with its worker; one that the client ended is none. */
export function hasFailed({ outcome }: Pick<UsageEntry, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'lost';
}

/** Sums up attempts. */
export function factsOf(attempts: readonly Attempt[]): AttemptFacts {
  const times = attempts
    .flatMap(({ outcome, firstMs }) => (outcome === 'answered' && firstMs !== null ? firstMs : []))
    .toSorted((one, other) => one - other);
  return {
    attempts: attempts.length,
    failed: attempts.filter(hasFailed).length,
    firstMs: times.length > 0 ? { median: quantile(times, 0.5), p95: quantile(times, 0.95) } : null,
  };
}

/** Sums up attempts by a key of theirs, such as the provider. */
export function factsBy<Item extends Attempt>(
  attempts: readonly Item[],
  keyOf: (attempt: Item) => string,
): Map<string, AttemptFacts> {
  const groups = Map.groupBy(attempts, keyOf);
  return new Map([...groups].map(([key, group]) => [key, factsOf(group)]));
}

/** Returns a quantile of sorted numbers: the smallest one that as large a part of them does not exceed. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}

/** The most attempts that are read, and the time before now from which, in minutes. */
export const mostAttempts = 300;
export const recentMinutes = 15;
/** The time between two looks, in milliseconds. */
const lookMs = 10_000;

/** Reads the last attempts of the ledger, newest first, again and again while the page is seen. */
export function useAttempts(filter: { provider?: string; model?: string } = {}): {
  attempts: readonly UsageEntry[] | undefined;
  error: unknown;
} {
  const { data, error } = useQuery({
    queryKey: [ofUser, 'recent-attempts', filter],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - recentMinutes * 60_000).toISOString();
      const query = { ...filter, from, limit: String(mostAttempts) };
      return (await api.call('listUsage', { query, signal })).data;
    },
    refetchInterval: lookMs,
  });
  return { attempts: data, error };
}
