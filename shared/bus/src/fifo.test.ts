import { expect, test } from 'vitest';
import { Fifo } from './incoming-body.ts';

test('a queue returns its items in order, however push and shift alternate', () => {
  const fifo = new Fifo<number>();
  const read: number[] = [];
  let put = 0;
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < 40; i++) fifo.push(put++);
    for (let i = 0; i < 30; i++) read.push(fifo.shift() ?? -1);
  }
  while (read.length < put) read.push(fifo.shift() ?? -1);
  expect(read).toEqual(Array.from({ length: put }, (_, i) => i));
  expect(fifo.shift()).toBeUndefined();
  fifo.push(7);
  expect(fifo.shift()).toBe(7);
});
