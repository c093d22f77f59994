import { expect, test } from 'vitest';
import { costOf } from './cost.ts';

const usage = { input: 1_000, output: 500, cached: 400, reasoning: 100 };

test.each([
  [{ input: 2, output: 10 }, 0.007],
  [{ input: 2, cachedInput: 0.5, output: 10, reasoning: 20 }, 0.0074],
  [{ input: 2 }, null],
  [{}, null],
  [null, null],
])('by the price %j it costs %s', (price, cost) => {
  const found = costOf(usage, price);
  if (cost === null) expect(found).toBeNull();
  else expect(found).toBeCloseTo(cost, 10);
});

test('audio has prices of its own, and what is not billed by does not count', () => {
  const used = { input: 100, audioInput: 40, output: 20, audioOutput: 20, seconds: 3 };
  expect(costOf(used, { input: 1, audioInput: 10, output: 2, audioOutput: 20 })).toBeCloseTo(0.00086, 10);
});

test('nothing costs nothing, and an unknown quantity has no cost', () => {
  expect(costOf({ input: 0, output: 0 }, {})).toBe(0);
  expect(costOf({ input: undefined }, { input: 2 })).toBeNull();
  expect(costOf({ input: undefined }, {})).toBeNull();
});

test('an unknown quantity costs nothing if the price is zero', () => {
  expect(costOf({ input: undefined }, { input: 0 })).toBe(0);
});
