import { Group, Progress, Stack, Text } from '@mantine/core';
import type { NewToken } from '@model-gateway/admin-api';
import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api.ts';
import { formatMoney, formatShare, formatTime } from '../layout/format.ts';
import { ofUser } from '../session/use-session.ts';
import { type BudgetPeriod, periodEnd, periodStart } from './period.ts';

type Budget = NonNullable<NewToken['budget']>;

/** Budgets from this part on are shown as nearly spent. */
const nearlySpent = 0.8;

const ofPeriod: Record<BudgetPeriod, string> = {
  day: 'of today',
  week: 'of this week',
  month: 'of this month',
  total: 'in all',
};

/** The budget of a token, a project or a user, and the part of it that the ledger says is spent. `of` is the filter of its usage. */
export function BudgetBar({
  budget,
  of,
}: {
  budget: Budget;
  of: { token: string } | { project: string } | { owner: string };
}) {
  const { data: spent, error } = useSpent(budget.period, of);
  const part = spent === undefined ? 0 : spent / budget.amount;
  const ends = periodEnd(budget.period, new Date());
  const color = part >= 1 ? 'red' : part >= nearlySpent ? 'orange' : 'indigo';
  const left = Math.max(0, budget.amount - (spent ?? 0));
  return (
    <Stack gap={4} maw={420}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {spent === undefined ? '…' : formatMoney(spent)} of {formatMoney(budget.amount)}{' '}
          {ofPeriod[budget.period]}
        </Text>
        {spent !== undefined && (
          <Text size="sm" c="dimmed">
            {part >= 1 ? 'spent' : `${formatMoney(left)} left`}
          </Text>
        )}
      </Group>
      <Progress.Root size="sm">
        <Progress.Section
          value={Math.min(100, part * 100)}
          color={color}
          aria-label={`Spent: ${formatShare(part)} of the budget`}
        />
      </Progress.Root>
      <Text size="xs" c="dimmed">
        {error ? 'What is spent could not be read. ' : ''}
        {ends ? `It starts anew at ${formatTime(ends.toISOString())}.` : 'It does not start anew.'}
        {budget.endsStreams && ' Running streams end when it is spent.'}
      </Text>
    </Stack>
  );
}

/** Reads the cost in this period of the usage that a filter names, in US dollars. */
function useSpent(period: BudgetPeriod, of: Record<string, string>) {
  return useQuery({
    queryKey: [ofUser, 'spent', period, of],
    queryFn: async ({ signal }) => {
      const from = periodStart(period, new Date())?.toISOString();
      const query = { ...of, by: 'model', ...(from && { from }) };
      const { data } = await callApi('totalUsage', { query, signal });
      return data.reduce((sum, { cost }) => sum + cost, 0);
    },
    refetchInterval: 30_000,
  });
}
