import { z } from 'zod/mini';

/** Periods of budgets: those of the calendar in UTC, with weeks that start on Monday, or all time. */
export const budgetPeriods = ['day', 'week', 'month', 'total'] as const;

/** The most that may be spent in each period. */
export const budgetSettings = z.strictObject({
  amount: z
    .number()
    .check(z.positive('must be greater than zero'), z.maximum(1e12, 'must be at most 1000000000000'))
    .check(z.describe('US dollars.')),
  period: z.enum(budgetPeriods, `must be one of ${budgetPeriods.join(', ')}`),
  endsStreams: z
    .optional(z.boolean())
    .check(z.describe('False if running streams go on once it is spent; they end if absent.')),
});

/** The rest of a budget of a token, its project or its owner. */
export const budgetLeft = z.object({
  of: z.enum(['token', 'project', 'owner']),
  ...budgetSettings.shape,
  spent: z.number().check(z.describe('Spent in this period, in US dollars.')),
  reserved: z.number().check(z.describe('Reserved for running requests, in US dollars.')),
  left: z.number().check(z.describe('In US dollars; never negative.')),
  resetsAt: z.nullable(z.string()).check(z.describe('When the budget resets, RFC 3339; null for never.')),
});
