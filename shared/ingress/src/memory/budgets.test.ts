import { expect, test } from 'vitest';
import { MemoryBudget, TokenCount } from './budgets.ts';

test('a budget refuses requests over it with retry-after, and reuses released bytes', () => {
  const held = new MemoryBudget(100, new TokenCount(1_000, 'full'));
  const [one, other] = [held.share('a'), held.share('b')];
  one.take(60);
  one.take(10);
  other.take(30);
  const refusal = { kind: 'overloaded', details: { reason: 'body_memory_full', retryAfterMs: 1_000 } };
  expect(() => other.take(1)).toThrow(expect.objectContaining(refusal));
  one.release();
  one.release();
  expect(held.held).toBe(30);
  other.take(70);
  expect(held.held).toBe(100);
});

test('a token holds no more than its share, others are not affected, and what it gives back is free', () => {
  const perToken = new TokenCount(100, 'The token holds 100 bytes.');
  const held = new MemoryBudget(1_000, perToken);
  const [one, other, victim] = [held.share('a'), held.share('a'), held.share('b')];
  one.take(60);
  expect(() => other.take(41)).toThrow('The token holds 100 bytes.');
  other.take(40);
  victim.take(100);
  expect([held.held, perToken.used('a'), perToken.used('b')]).toEqual([200, 100, 100]);
  for (const share of [one, other, victim, one]) share.release();
  expect([held.held, perToken.used('a'), perToken.used('b')]).toEqual([0, 0, 0]);
});

test('data derived from a single request may exceed the share until other requests of its token hold a quarter of it', () => {
  const held = new MemoryBudget(1_000, new TokenCount(100, 'full'));
  const body = held.share('a');
  const copy = body.part();
  body.take(90);
  copy.take(90);
  const second = held.share('a');
  expect(() => second.take(1)).toThrow('full');
  copy.release();
  second.take(10);
  copy.take(90);
  copy.release();
  body.release();
  second.take(20);
  expect(() => body.take(90)).toThrow('full');
});

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

test('tokens that use nothing are forgotten once there are many', () => {
  const count = new TokenCount(2, 'full');
  count.open('kept');
  for (let i = 0; i < 10_000; i++) count.open(`token-${i}`)();
  expect(count.tokens).toBeLessThanOrEqual(1_000);
  expect(count.used('kept')).toBe(1);
});

test('a reservation returns a part of its bytes, and no more than it has', () => {
  const perToken = new TokenCount(100, 'full');
  const held = new MemoryBudget(1_000, perToken);
  const share = held.share('a');
  share.take(90);
  share.give(40);
  expect([held.held, perToken.used('a')]).toEqual([50, 50]);
  share.take(50);
  share.release();
  share.give(10);
  expect([held.held, perToken.used('a')]).toEqual([0, 0]);
});
