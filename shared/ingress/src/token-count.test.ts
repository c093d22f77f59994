import { expect, test } from 'vitest';
import { TokenCount } from './token-count.ts';

test('a token opens as many as its share allows, and releases each once', () => {
  const count = new TokenCount(2, 'This token has 2.');
  const [first] = [count.open('a'), count.open('a')];
  expect(() => count.open('a')).toThrow(
    expect.objectContaining({
      kind: 'rate-limited',
      message: 'This token has 2.',
      details: { retryAfterMs: 1_000, share: true },
    }),
  );
  count.open('b');
  first();
  first();
  count.open('a');
  expect(() => count.open('a')).toThrow('This token has 2.');
});

test('a token that uses nothing is forgotten', () => {
  const count = new TokenCount(2, 'full');
  for (let i = 0; i < 100; i++) count.open(`token-${i}`)();
  expect(count.tokens).toBe(0);
});
