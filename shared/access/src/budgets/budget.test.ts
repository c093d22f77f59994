import { expect, test } from 'vitest';
import { type Budget, chargedFor, periodOf } from './budget.ts';

const at = (text: string) => Date.parse(text);

test.each<[Budget['period'], string, string, string | null]>([
  ['day', '2026-11-25T23:59:59.999Z', '2026-11-25T00:00:00Z', '2026-11-26T00:00:00Z'],
  ['day', '2026-11-26T00:00:00Z', '2026-11-26T00:00:00Z', '2026-11-27T00:00:00Z'],
  ['week', '2026-11-25T12:00:00Z', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
  ['week', '2026-11-29T23:00:00Z', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
  ['week', '2026-11-30T00:00:00Z', '2026-11-30T00:00:00Z', '2026-12-07T00:00:00Z'],
  ['month', '2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['month', '2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['total', '2026-11-25T12:00:00Z', '1970-01-01T00:00:00Z', null],
])('the %s of %s is from %s to %s', (period, time, from, to) => {
  expect(periodOf({ period }, at(time))).toEqual({ from: at(from), to: to && at(to) });
});

test('a request counts for each budget of its token, project and owner', () => {
  const time = at('2026-11-25T12:00:00Z');
  expect(
    chargedFor(
      [
        [['token', 't'], { amount: 1, period: 'total', endsStreams: false }],
        [['project', 'p'], undefined],
        [['user', 'u'], { amount: 2, period: 'day' }],
      ],
      time,
    ),
  ).toEqual([
    { key: '["token","t"]', amount: 1, from: 0, to: null },
    { key: '["user","u"]', amount: 2, from: at('2026-11-25'), to: at('2026-11-26'), endsStreams: true },
  ]);
});
