import type { budgetSettings, UsageGroup } from '@model-gateway/admin-api';
import { useQueries } from '@tanstack/react-query';
import type { z } from 'zod/mini';
import { api, ofUser } from '../api.ts';
import { type BudgetPeriod, periodStart } from './period.ts';

export type Budget = z.infer<typeof budgetSettings>;

/** The kinds of things with a budget, as totals of usage group by them. */
export type BudgetOwner = Extract<UsageGroup, 'token' | 'project' | 'owner'>;

/** Returns the dollars spent of a budget in its period, as the ledger has them: undefined while they are read, null if they cannot be. */
export type SpentOf = (key: string, budget: Budget) => number | null | undefined;

/**
 * Reads what was spent of budgets: one request for each kind of period that occurs, however many budgets there are. `key` reads that
 * of one token, project or owner alone.
 */
export function useSpent(by: BudgetOwner, budgets: readonly (Budget | null)[], key?: string): SpentOf {
  const periods = [...new Set(budgets.flatMap(budget => budget?.period ?? []))];
  const answers = useQueries({ queries: periods.map(period => totalsOf(by, period, key)) });
  return (wanted, { period }) => {
    const answer = answers[periods.indexOf(period)];
    if (answer?.data) return answer.data.get(wanted) ?? 0;
    return answer?.error ? null : undefined;
  };
}

function totalsOf(by: BudgetOwner, period: BudgetPeriod, key: string | undefined) {
  const from = periodStart(period, new Date())?.toISOString();
  const query = { by, ...(from && { from }), ...(key !== undefined && { [by]: key }) };
  return {
    queryKey: [ofUser, 'totalUsage', query],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const { data } = await api.call('totalUsage', { query, signal });
      return new Map(data.map(({ key, cost }) => [key, cost]));
    },
    staleTime: 10_000,
  };
}
