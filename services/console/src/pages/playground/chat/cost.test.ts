import { expect, test } from 'vitest';
import { costOf } from './cost.ts';

const usage = { input: 1_000, output: 500, cached: 400, reasoning: 100 };

test.each([
  [{ input: 2, output: 10 }, 0.007],
  [{ input: 2, cachedInput: 0.5, output: 10, reasoning: 20 }, 0.0074],
  [{ input: 2 }, undefined],
  [{}, undefined],
  [null, undefined],
])('by the price %j it costs %s', (price, cost) => {
  const found = costOf(usage, price);
  if (cost === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(cost, 10);
});

test('nothing costs nothing', () => {
  expect(costOf({ input: 0, output: 0 }, {})).toBe(0);
});
