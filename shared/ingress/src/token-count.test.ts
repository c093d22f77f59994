import { expect, test } from 'vitest';
import { TokenCount } from './token-count.ts';

test('a token opens as many as it may, and gives each back once', () => {
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

test('nothing is remembered of a token that has nothing', () => {
  const count = new TokenCount(2, 'full');
  for (let i = 0; i < 100; i++) count.open(`token-${i}`)();
  expect(count.tokens).toBe(0);
});
