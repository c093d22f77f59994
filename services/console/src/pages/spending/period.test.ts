import { expect, test } from 'vitest';
import { periodEnd, periodStart } from './period.ts';

test.each([
  ['day', '2026-11-25T21:40:00.000Z', '2026-11-25T00:00:00.000Z', '2026-11-26T00:00:00.000Z'],
  ['week', '2026-11-25T21:40:00.000Z', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
  ['week', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
  ['week', '2026-11-29T23:59:59.999Z', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
] as const)('a %s in UTC at %s', (period, at, start, end) => {
  expect(periodStart(period, new Date(at))?.toISOString()).toBe(start);
  expect(periodEnd(period, new Date(at))?.toISOString()).toBe(end);
});

test('a budget in total has no period', () => {
  expect(periodStart('total', new Date())).toBeNull();
  expect(periodEnd('total', new Date())).toBeNull();
});
