import { expect, test } from 'vitest';
import { addUp, changeOf, measures, tokenKinds } from './measures.ts';

const some = {
  ...addUp([]),
  attempts: 6,
  failedAttempts: 3,
  requests: 4,
  failed: 1,
  timed: 2,
  ms: 500,
  input: 100,
  output: 20,
};

test('figures of several rows are those of their sums', () => {
  const sums = addUp([some, { ...some, cachedInput: 50, cost: 0.5 }]);
  expect(measures.requests.of(sums)).toBe(8);
  expect(measures.attempts.of(sums)).toBe(12);
  expect(measures.failedAttempts.of(sums)).toBe(6);
  expect(measures.tokens.of(sums)).toBe(240);
  expect(measures.errorRate.of(sums)).toBe(0.25);
  expect(measures.latency.of(sums)).toBe(250);
  expect(measures.cacheHits.of(sums)).toBe(0.25);
  expect(measures.spend.format(0.5)).toBe('$0.50');
});

test('a mean of nothing is unknown', () => {
  for (const name of ['errorRate', 'latency', 'firstToken', 'cacheHits'] as const)
    expect(measures[name].of(addUp([]))).toBeNull();
});

test('each token is of one kind', () => {
  const sums = { ...some, cachedInput: 30, cacheWrite5m: 10, cacheWrite1h: 5, reasoning: 8 };
  expect(tokenKinds.map(({ of }) => of(sums))).toEqual([55, 30, 15, 12, 8]);
});

test('a change is a part of what was', () => {
  expect(changeOf(15, 10)).toBe(0.5);
  expect(changeOf(15, 0)).toBeNull();
  expect(changeOf(null, 10)).toBeNull();
});
