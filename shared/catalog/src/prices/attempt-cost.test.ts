import { expect, test } from 'vitest';
import type { Price } from '../schema.ts';
import { costOf } from './attempt-cost.ts';
import type { Quantities } from './price.ts';

const none: Quantities = {
  input: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
  images: 0,
  seconds: 0,
  characters: 0,
  searches: 0,
};
const cost = (used: Partial<Quantities>, price: Price) => costOf({ ...none, ...used }, price);

test('each kind of token has a price of its own, and is counted once', () => {
  const price: Price = { input: 10, cachedInput: 1, cacheWrite: 12, cacheWrite1h: 20, output: 100 };
  expect(cost({ input: 1_000_000 }, price)).toBe(10);
  expect(cost({ input: 1_000_000, cachedInput: 400_000 }, price)).toBeCloseTo(6 + 0.4);
  expect(cost({ input: 100, cacheWrite5m: 50, cacheWrite1h: 50, output: 10 }, price)).toBeCloseTo(
    (50 * 12 + 50 * 20 + 10 * 100) / 1e6,
  );
  expect(cost({ input: 100, audioInput: 40, imageInput: 10 }, { input: 1, audioInput: 3 })).toBeCloseTo(
    (60 + 40 * 3) / 1e6,
  );
  expect(cost({ output: 100, reasoning: 60, audioOutput: 20 }, { output: 1, audioOutput: 5 })).toBeCloseTo(
    (80 + 20 * 5) / 1e6,
  );
});

test('counts that overlap cost no token twice, and never less than nothing', () => {
  const price: Price = { input: 10, cachedInput: 1, output: 100 };
  expect(cost({ input: 100, cachedInput: 500 }, price)).toBeCloseTo(100 / 1e6);
  expect(cost({ input: 100, cachedInput: 80, audioInput: 80 }, price)).toBeCloseTo((80 + 200) / 1e6);
  expect(cost({ input: 100, cachedInput: -5 }, price)).toBeCloseTo(1_000 / 1e6);
});

test('images, seconds, characters and searches have prices of their own', () => {
  expect(cost({ images: 2 }, { image: 0.04 })).toBeCloseTo(0.08);
  expect(cost({ seconds: 90 }, { second: 0.0001 })).toBeCloseTo(0.009);
  expect(cost({ characters: 2_000 }, { characters: 15 })).toBeCloseTo(0.03);
  expect(cost({ searches: 3 }, { search: 0.002 })).toBeCloseTo(0.006);
  expect(cost({ input: 1_000_000, images: 1 }, { input: 5, image: 0.1 })).toBeCloseTo(5.1);
});

test('a quantity that the model is not billed by costs nothing', () => {
  expect(cost({ input: 1_000, output: 5, seconds: 90 }, { second: 0.001 })).toBeCloseTo(0.09);
  expect(cost({ input: 1_000_000, seconds: 90 }, { input: 2 })).toBe(2);
});

test('an unknown price is unknown, and not 0', () => {
  expect(cost({ input: 10, output: 5 }, { input: 1 })).toBeUndefined();
  expect(cost({ input: 10 }, {})).toBeUndefined();
  expect(cost({ images: 1 }, { input: 1 })).toBeUndefined();
  expect(cost({}, { input: 1 })).toBe(0);
  expect(cost({ input: 10 }, { input: 0 })).toBe(0);
});
