import { expect, test } from 'vitest';
import { type BudgetPeriod, periodEnd, periodStart } from './period.ts';

test.each<[BudgetPeriod, string, string]>([
  ['day', '2026-11-29T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
  ['week', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
  ['month', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
])('the %s of a Sunday starts and ends by the calendar in UTC', (period, start, end) => {
  const sunday = new Date('2026-11-29T23:59:59.000Z');
  expect(periodStart(period, sunday)?.toISOString()).toBe(start);
  expect(periodEnd(period, sunday)?.toISOString()).toBe(end);
});

test('a month ends with the year, and all time never', () => {
  const december = new Date('2026-12-31T12:00:00.000Z');
  expect(periodEnd('month', december)?.toISOString()).toBe('2027-01-01T00:00:00.000Z');
  expect([periodStart('total', december), periodEnd('total', december)]).toEqual([undefined, undefined]);
});
