import { expect, test } from 'vitest';
import { differences } from './difference.ts';

test('only the fields that differ are listed, by their paths', () => {
  const before = {
    name: 'lab',
    weight: 1,
    limits: { concurrency: 2, models: { 'gpt-5': { concurrency: 1 } } },
  };
  const after = {
    name: 'lab',
    weight: 2,
    limits: { concurrency: 2, models: { 'gpt-5': { concurrency: 3 } } },
  };
  expect(differences(before, after)).toEqual([
    { path: 'weight', before: 1, after: 2 },
    { path: 'limits.models["gpt-5"].concurrency', before: 1, after: 3 },
  ]);
});

test('a field that was null and has fields now is listed field by field', () => {
  expect(differences({ budget: null }, { budget: { amount: 5, period: 'day' } })).toEqual([
    { path: 'budget.amount', before: undefined, after: 5 },
    { path: 'budget.period', before: undefined, after: 'day' },
  ]);
});

test('what did not exist, or does not any more, has one side', () => {
  expect(differences(null, { role: 'viewer', owner: null })).toEqual([
    { path: 'role', before: undefined, after: 'viewer' },
  ]);
  expect(differences({ role: 'viewer' }, null)).toEqual([
    { path: 'role', before: 'viewer', after: undefined },
  ]);
  expect(differences(null, null)).toEqual([]);
});

test('lists are compared as a whole', () => {
  expect(differences({ models: ['a'] }, { models: ['a', 'b'] })).toEqual([
    { path: 'models', before: ['a'], after: ['a', 'b'] },
  ]);
  expect(differences({ limits: {} }, { limits: null })).toEqual([
    { path: 'limits', before: {}, after: null },
  ]);
});
