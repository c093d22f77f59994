import { expect, test } from 'vitest';
import { Pieces } from './pieces.ts';

test('Pieces joins any number of pieces to the original bytes', () => {
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
