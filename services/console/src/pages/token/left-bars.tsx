import { Group, Progress, Stack, Text } from '@mantine/core';
import { formatCount, formatMoney, formatTime } from '../layout/format.ts';
import type { ShownToken } from './check-token.ts';

type Limit = NonNullable<ShownToken['limitsLeft']>[number];
type Budget = NonNullable<ShownToken['budgetsLeft']>[number];

/** What is left of the limits and budgets of a token, its project and its owner, and when they are whole again. */
export function LeftBars({ limitsLeft, budgetsLeft = [] }: ShownToken) {
  if (limitsLeft === null) return <Text size="xs">Its remaining limits are not known at the moment.</Text>;
  const limits = limitsLeft ?? [];
  if (limits.length === 0 && budgetsLeft.length === 0)
    return <Text size="xs">No limits and no budgets.</Text>;
  return (
    <Stack gap="xs">
      {budgetsLeft.map(budget => (
        <Bar key={`${budget.of} ${budget.period}`} {...budgetBar(budget)} />
      ))}
      {limits.map(limit => (
        <Bar key={`${limit.of} ${limit.model} ${limit.limit}`} {...limitBar(limit)} />
      ))}
    </Stack>
  );
}

interface BarFacts {
  label: string;
  /** What is left, such as `$3.20 of $5.00`. */
  text: string;
  /** The part that is left, of one. */
  share: number;
  resets: string | undefined;
}

function Bar({ label, text, share, resets }: BarFacts) {
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-end">
        <Text size="xs">{label}</Text>
        <Text size="xs" fw={share <= 0 ? 700 : 400} ta="end">
          {share <= 0 ? 'None left' : `${text} left`}
        </Text>
      </Group>
      <Progress
        value={Math.max(0, Math.min(100, share * 100))}
        color={colorOf(share)}
        size="sm"
        aria-label={`${label}: ${text} left`}
      />
      {resets && share < 1 && (
        <Text size="xs" c="dimmed">
          {resets}
        </Text>
      )}
    </div>
  );
}

/** The share from which little is left. */
const little = 0.2;

function colorOf(share: number): string {
  if (share <= 0) return 'red';
  return share <= little ? 'orange' : 'indigo';
}

const owners = { token: 'Token', project: 'Project', owner: 'Owner' } as const;
const periods = { day: 'per day', week: 'per week', month: 'per month', total: 'in total' } as const;
const limitWords = {
  requestsPerMinute: 'requests per minute',
  tokensPerMinute: 'tokens per minute',
  concurrency: 'concurrent requests',
} as const;

function budgetBar({ of, amount, period, left, resetsAt }: Budget): BarFacts {
  return {
    label: `${owners[of]}: budget ${periods[period]}`,
    text: `${formatMoney(left)} of ${formatMoney(amount)}`,
    share: left / amount,
    resets: resetsAt ? `Resets at ${formatTime(resetsAt)}` : undefined,
  };
}

function limitBar({ of, model, limit, value, left, resetsAt }: Limit): BarFacts {
  return {
    label: `${owners[of]}: ${limitWords[limit]}${model ? ` for ${model}` : ''}`,
    text: `${formatCount(left)} of ${formatCount(value)}`,
    share: left / value,
    resets: resetsAt ? `Resets at ${formatTime(resetsAt)}` : undefined,
  };
}
