import { expect, test } from 'vitest';
import { dimensionsOf, ranking, vectorOf } from './vector.ts';

test.each(['', ' ', '!?', 'a', 'The cat sat on the mat.', '数据 🚀', 'x'.repeat(100_000)])(
  'the vector of text %# has the length 1 and is always the same',
  text => {
    for (const dimensions of [1, 2, 8, 256, 3_072]) {
      const vector = vectorOf(text, dimensions);
      expect(vector).toHaveLength(dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      expect(vectorOf(text, dimensions)).toEqual(vector);
    }
  },
);

test.each([
  ['sim-fast', 256],
  ['sim-d64', 64],
  ['team/sim-d1024-f10ms', 1_024],
  ['fault-slow-d8-300ms', 8],
  ['d16', 16],
  ['sim-d0', 256],
  ['sim-d9999', 256],
  ['word2vec-d', 256],
])('vectors of %s have %i numbers', (model, dimensions) => {
  expect(dimensionsOf(model)).toBe(dimensions);
});

test('documents are ranked by similarity to the query, with scores from 0 to 1', () => {
  const documents = [
    'Bananas are rich in potassium.',
    'Paris is the capital of France.',
    'The capital of Italy is Rome.',
    'Paris is the capital of France.',
  ];
  const ranked = ranking('What is the capital of France?', documents);
  expect(ranked.map(({ index }) => index)).toEqual([1, 3, 2, 0]);
  for (const { score, raw } of ranked) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThan(1);
    expect(score > 0.5).toBe(raw > 0);
  }
  expect(ranked[0]?.score).toBeGreaterThan(0.9);
  expect(ranked[3]?.score).toBeLessThan(0.2);
});
