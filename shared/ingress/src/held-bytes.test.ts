import { expect, test } from 'vitest';
import { HeldBytes } from './held-bytes.ts';

test('shares a budget, refuses what is over it with a time to come back, and has again what was given back', () => {
  const held = new HeldBytes(100);
  const [one, other] = [held.share(), held.share()];
  one.take(60);
  one.take(10);
  other.take(30);
  const refusal = { kind: 'overloaded', details: { retryAfterMs: 1_000 } };
  expect(() => other.take(1)).toThrow(expect.objectContaining(refusal));
  one.giveBack();
  one.giveBack();
  expect(held.held).toBe(30);
  other.take(70);
  expect(held.held).toBe(100);
});
