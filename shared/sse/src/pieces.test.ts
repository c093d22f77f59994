import { expect, test } from 'vitest';
import { Pieces } from './pieces.ts';

test('pieces add up to the bytes that came, in any number', () => {
  const pieces = new Pieces();
  const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 256));
  for (let i = 0; i < bytes.length; i++) pieces.add(bytes.subarray(i, i + 1));
  expect(pieces.length).toBe(5_000);
  expect(Buffer.compare(pieces.whole(), bytes)).toBe(0);
  expect(Buffer.compare(pieces.copy(), bytes)).toBe(0);
  pieces.clear();
  expect([pieces.length, pieces.whole().length]).toEqual([0, 0]);
  pieces.add(bytes);
  expect(pieces.whole()).toBe(bytes);
});
