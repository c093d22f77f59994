import { expect, test } from 'vitest';
import { cosine, length } from './embeddings.tsx';

test.each([
  [[1, 0], [2, 0], 1],
  [[1, 0], [0, 3], 0],
  [[1, 2], [-2, -4], -1],
  [[1, 1], [1, 0], Math.SQRT1_2],
  [[0, 0], [1, 0], 0],
])('the cosine of %j and %j is %d', (one, other, expected) => {
  expect(cosine(one, other)).toBeCloseTo(expected);
});

test('a cosine never leaves its range by rounding', () => {
  const vector = [0.1, 0.2, 0.7];
  expect(cosine(vector, vector)).toBeLessThanOrEqual(1);
});

test('the length of a vector', () => {
  expect(length([3, 4])).toBe(5);
});
