import { describe, expect, test } from 'vitest';
import { base64Of, dimensionsOf, ranking, similarity, vectorOf } from './vector.ts';

describe('a vector', () => {
  test.each(['', ' ', '!?', 'a', 'The cat sat on the mat.', '数据 🚀', 'x'.repeat(100_000)])(
    'of text %# has the length 1 and is always the same',
    text => {
      for (const dimensions of [1, 2, 8, 256, 3_072]) {
        const vector = vectorOf(text, dimensions);
        expect(vector).toHaveLength(dimensions);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
        expect(vectorOf(text, dimensions)).toEqual(vector);
      }
    },
  );

  test('is more similar to another vector the more words their texts share', () => {
    const like = (one: string, other: string) => similarity(vectorOf(one, 256), vectorOf(other, 256));
    const cat = 'The cat sat on the mat';
    expect(like(cat, 'the CAT sat on the mat!')).toBeCloseTo(1, 5);
    expect(like(cat, 'A cat sits on a mat')).toBeGreaterThan(0.4);
    expect(like('embedding vectors', 'an embedded vector')).toBeGreaterThan(0.3);
    expect(like(cat, 'Quarterly revenue fell by nine percent')).toBeLessThan(0.2);
    expect(like('café', 'cafe')).toBeGreaterThan(0.2);
  });
});

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

test('base64 contains 32-bit floats', () => {
  expect(base64Of(Float32Array.of(0.5, -0.25))).toBe('AAAAPwAAgL4=');
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
