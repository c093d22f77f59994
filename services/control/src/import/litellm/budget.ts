import type { NewToken } from '@model-gateway/admin-api';
import type { Part } from '../account.ts';
import { exact } from '../exact.ts';

export type Budget = NonNullable<NewToken['budget']>;

/** The fields of a budget in a row of LiteLLM's database. */
interface BudgetFields {
  amount: Part;
  duration: Part;
  /** The spent part of it. */
  spent: Part;
}

/** A budget. `spent` if nothing is left of it. */
export type ReadBudget = { budget?: Budget | undefined; isSpent: boolean };

const day = 86_400;
const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: day,
  w: 7 * day,
  mo: 30 * day,
};
const words: Readonly<Record<string, string>> = { daily: '1d', weekly: '7d', monthly: '30d' };
/** The longest spans that a period of the calendar stands for, in seconds. */
const periods = [
  ['day', day],
  ['week', 7 * day],
  ['month', 31 * day],
] as const;
const exactDurations = new Set(['1d', '24h', '7d', '1w', '30d', '1mo', '31d']);

/**
 * Reads a budget. One whose period the gateway does not have becomes that of the next longer period with the same amount, which
 * is stricter. Of one without a period, only what is left of it is carried over.
 */
export function budgetOf({ amount, duration, spent }: BudgetFields): ReadBudget {
  const most = amount.number();
  const text = duration.text()?.toLowerCase();
  if (most === undefined) return { isSpent: false };
  const span = text === undefined ? undefined : (words[text] ?? text);
  if (span === undefined) return totalOf(amount, most, spent);
  if (most <= 0) return nothingLeft(amount);
  const seconds = secondsOf(span);
  if (seconds === undefined) duration.change('The period is unknown, so the budget is for all time.');
  const period =
    periods.find(([, longest]) => (seconds ?? Number.POSITIVE_INFINITY) <= longest)?.[0] ?? 'total';
  if (seconds !== undefined && !exactDurations.has(span))
    duration.change(
      `The gateway has no such period. The budget is for ${periodText(period)}, which is stricter.`,
    );
  else if (period !== 'total')
    duration.change('Budgets of the gateway begin with the day, the week or the month in UTC.');
  return { budget: { amount: most, period }, isSpent: false };
}

function totalOf(amount: Part, most: number, spent: Part): ReadBudget {
  const left = exact(most - (spent.number() ?? 0));
  if (left <= 0) return nothingLeft(amount);
  if (left !== most) amount.change('It is a budget for all time. What is left of it is carried over.');
  return { budget: { amount: left, period: 'total' }, isSpent: false };
}

function nothingLeft(amount: Part): ReadBudget {
  amount.change('Nothing is left of it. Tokens that it holds for are disabled.');
  return { isSpent: true };
}

function periodText(period: Budget['period']): string {
  return period === 'total' ? 'all time' : `a ${period}`;
}

function secondsOf(span: string): number | undefined {
  const [, count, unit] = /^(\d+)(s|m|h|d|w|mo)$/.exec(span) ?? [];
  return count && unit ? Number(count) * (unitSeconds[unit] as number) : undefined;
}
