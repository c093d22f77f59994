import type { budgetPeriods } from '@model-gateway/admin-api';

export type BudgetPeriod = (typeof budgetPeriods)[number];

const dayMs = 86_400_000;

/** Returns the start of the period that a time is in, in UTC; null for `total`, which has none. Weeks start on Monday. */
export function periodStart(period: BudgetPeriod, at: Date): Date | null {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (period === 'total') return null;
  if (period === 'month') return new Date(Date.UTC(year, month));
  const today = Date.UTC(year, month, day);
  if (period === 'day') return new Date(today);
  const sinceMonday = (at.getUTCDay() + 6) % 7;
  return new Date(today - sinceMonday * dayMs);
}

/** Returns the time at which a budget of the period resets; null for never. */
export function periodEnd(period: BudgetPeriod, at: Date): Date | null {
  const start = periodStart(period, at);
  if (!start || period === 'total') return null;
  if (period === 'month') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
  return new Date(start.getTime() + (period === 'week' ? 7 : 1) * dayMs);
}

/** A period after an amount, such as `per month`. */
export const perPeriod: Record<BudgetPeriod, string> = {
  day: 'per day',
  week: 'per week',
  month: 'per month',
  total: 'in total',
};
