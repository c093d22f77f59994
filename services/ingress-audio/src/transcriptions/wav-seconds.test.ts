import { expect, test } from 'vitest';
import { wavSeconds } from './wav-seconds.ts';

const bytesPerSecond = 48_000;

function chunk(name: string, length: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, body]);
}

/** The beginning of a file whose sound is said to be of `length` bytes. */
function headOf(
  length: number,
  { before = [] as Buffer[], rate = bytesPerSecond, type = 'WAVE' } = {},
): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt32LE(rate, 8);
  const riff = chunk('RIFF', 0xffffffff, Buffer.from(type));
  return Buffer.concat([riff, ...before, chunk('fmt ', 16, format), chunk('data', length, Buffer.alloc(0))]);
}

const plain = 44;

test.each([
  ['as its header says', headOf(72_000), plain + 72_000, 1.5],
  ['as there is of it, where its length is not known', headOf(0xffffffff), plain + 24_000, 0.5],
  ['after notes', headOf(48_000, { before: [chunk('LIST', 3, Buffer.alloc(4))] }), plain + 12 + 48_000, 1],
])('a file sounds as long %s', (_what, head, size, seconds) => {
  expect(wavSeconds(head, size)).toBe(seconds);
});

test.each([
  ['another format', headOf(48_000, { type: 'AVI ' })],
  ['no rate', headOf(48_000, { rate: 0 })],
  ['a sound that does not come soon', headOf(48_000).subarray(0, 36)],
  [
    'a chunk as long as can be',
    Buffer.concat([headOf(1).subarray(0, 12), chunk('JUNK', 0xffffffff, Buffer.alloc(9))]),
  ],
  ['hardly anything', Buffer.from('RIFF')],
  ['nothing', Buffer.alloc(0)],
])('nobody can tell of %s', (_what, head) => {
  expect(wavSeconds(head, 50_000)).toBeUndefined();
});
