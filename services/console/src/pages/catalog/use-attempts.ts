import type { UsageEntry } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { api, ofUser } from '../api.ts';

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
