import type { NewToken } from '@model-gateway/admin-api';

export type BudgetPeriod = NonNullable<NewToken['budget']>['period'];

const dayMs = 86_400_000;

/** Returns the start of the period of the calendar in UTC that `now` is in; undefined for all time. */
export function periodStart(period: BudgetPeriod, now: Date): Date | undefined {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (period) {
    case 'day':
      return new Date(Date.UTC(year, month, day));
    case 'week':
      // A week starts on Monday.
      return new Date(Date.UTC(year, month, day) - ((now.getUTCDay() + 6) % 7) * dayMs);
    case 'month':
      return new Date(Date.UTC(year, month, 1));
    case 'total':
      return undefined;
  }
}

/** Returns the time at which the budget of a period starts anew; undefined for never. */
export function periodEnd(period: BudgetPeriod, now: Date): Date | undefined {
  const start = periodStart(period, now);
  if (!start) return undefined;
  if (period === 'month') return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  return new Date(start.getTime() + (period === 'week' ? 7 : 1) * dayMs);
}
