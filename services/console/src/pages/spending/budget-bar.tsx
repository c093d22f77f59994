import { Group, Progress, Text } from '@mantine/core';
import { formatMoney, formatShare, formatTime } from '../layout/format.ts';
import { periodEnd, perPeriod } from './period.ts';
import type { Budget } from './use-spent.ts';

/** The share of a budget from which it is nearly spent. */
const nearlySpent = 0.8;

/** A budget and the part of it that is spent. `spent` is in dollars: undefined while it is read, null if it is not known. */
export function BudgetBar({
  label,
  budget,
  spent,
  resets = false,
}: {
  /** The owner of the budget, for screen readers. */
  label: string;
  budget: Budget | null;
  spent: number | null | undefined;
  /** Shows when the budget resets. */
  resets?: boolean;
}) {
  if (!budget) return <>–</>;
  const { amount, period } = budget;
  const share = (spent ?? 0) / amount;
  const text = `${formatMoney(amount)} ${perPeriod[period]}`;
  const resetsAt = periodEnd(period, new Date())?.toISOString();
  return (
    <div style={{ minWidth: 190, maxWidth: 420 }}>
      <Group gap={6} justify="space-between" wrap="nowrap">
        <Text size="xs" style={{ whiteSpace: 'nowrap' }}>
          {spent === undefined ? '…' : spent === null ? '?' : formatMoney(spent)} of {text}
        </Text>
        {typeof spent === 'number' && (
          <Text size="xs" fw={share >= nearlySpent ? 600 : 400}>
            {share >= 1 ? 'spent' : formatShare(share)}
          </Text>
        )}
      </Group>
      <Progress
        value={Math.min(100, share * 100)}
        color={colorOf(share)}
        size="sm"
        aria-label={`Spent of the budget of ${label}`}
      />
      {resets && (
        <Text size="xs" c="dimmed" mt={4}>
          {resetsAt ? `Resets at ${formatTime(resetsAt)}.` : 'Never resets.'}
          {budget.endsStreams !== false && ' Running streams end once it is spent.'}
        </Text>
      )}
    </div>
  );
}

function colorOf(share: number): string {
  if (share >= 1) return 'red';
  return share >= nearlySpent ? 'orange' : 'indigo';
}
