import { expect, test } from 'vitest';
import { Account } from '../account.ts';
import { budgetOf } from './groups.ts';

function read(row: object) {
  const account = new Account();
  const part = account.root('', row);
  const fields = { amount: part.get('max'), duration: part.get('duration'), spent: part.get('spend') };
  return {
    ...budgetOf(fields),
    changes: account.close(() => 'history').filter(each => each.outcome === 'changed'),
  };
}

test.each([
  ['1d', 'day', 'begin with the day'],
  ['7d', 'week', 'begin with the day'],
  ['monthly', 'month', 'begin with the day'],
  ['1mo', 'month', 'begin with the day'],
  ['12h', 'day', 'The budget is for a day, which is stricter.'],
  ['10d', 'month', 'The budget is for a month, which is stricter.'],
  ['90d', 'total', 'The budget is for all time, which is stricter.'],
  ['a while', 'total', 'The period is unknown'],
])('a budget for %s becomes one for a %s, never a looser one', (duration, period, change) => {
  const { budget, isSpent, changes } = read({ max: 10, duration, spend: 3 });
  expect(budget).toEqual({ amount: 10, period });
  expect(isSpent).toBe(false);
  expect(changes[0]?.reason).toContain(change);
});

test('of a budget for all time, what is left is carried over, and nothing left disables', () => {
  expect(read({ max: 10, spend: 3.5 })).toMatchObject({
    budget: { amount: 6.5, period: 'total' },
    isSpent: false,
  });
  expect(read({ max: 10, spend: 10 })).toMatchObject({ isSpent: true });
  expect(read({ max: 0, duration: '1d' })).toMatchObject({ isSpent: true });
  expect(read({ spend: 10 })).toMatchObject({ isSpent: false, changes: [] });
  expect(read({ spend: 10 }).budget).toBeUndefined();
});
