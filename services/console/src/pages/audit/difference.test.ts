import { expect, test } from 'vitest';
import { differences } from './difference.ts';

type Fields = Record<string, unknown>;
const lab = (weight: number, concurrency: number): Fields => ({
  ...{ name: 'lab', weight, limits: { concurrency: 2, models: { 'gpt-5': { concurrency } } } },
});

test.each<[string, Fields | null, Fields | null, [path: string, before: unknown, after: unknown][]]>([
  [
    'only the fields that differ are listed, by their paths',
    ...([lab(1, 1), lab(2, 3)] as const),
    [
      ['weight', 1, 2],
      ['limits.models["gpt-5"].concurrency', 1, 3],
    ],
  ],
  [
    'a field that was null and has fields now is listed field by field',
    { budget: null },
    { budget: { amount: 5, period: 'day' } },
    [
      ['budget.amount', undefined, 5],
      ['budget.period', undefined, 'day'],
    ],
  ],
  ['what did not exist', null, { role: 'viewer', owner: null }, [['role', undefined, 'viewer']]],
  ['what does not exist any more', { role: 'viewer' }, null, [['role', 'viewer', undefined]]],
  ['nothing', null, null, []],
  ['lists are compared as a whole', { a: ['a'] }, { a: ['a', 'b'] }, [['a', ['a'], ['a', 'b']]]],
  ['no fields and null', { limits: {} }, { limits: null }, [['limits', {}, null]]],
])('%s', (_what, before, after, expected) => {
  const told = differences(before, after);
  expect(told).toEqual(expected.map(([path, before, after]) => ({ path, before, after })));
});
