import { expect, test } from 'vitest';
import { wavSeconds } from './endpoint.ts';

const bytesPerSecond = 48_000;

function chunk(name: string, length: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, body]);
}

/** The head of a WAV file whose header states `length` bytes of audio. */
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
  ['from the header', headOf(72_000), plain + 72_000, 1.5],
  ['from the file size if the header has no length', headOf(0xffffffff), plain + 24_000, 0.5],
  [
    'after a LIST chunk',
    headOf(48_000, { before: [chunk('LIST', 3, Buffer.alloc(4))] }),
    plain + 12 + 48_000,
    1,
  ],
])('the duration of a WAV file is computed %s', (_what, head, size, seconds) => {
  expect(wavSeconds(head, size)).toBe(seconds);
});

test.each([
  ['another format', headOf(48_000, { type: 'AVI ' })],
  ['a byte rate of zero', headOf(48_000, { rate: 0 })],
  ['a data chunk beyond the head', headOf(48_000).subarray(0, 36)],
  [
    'a chunk of maximum length',
    Buffer.concat([headOf(1).subarray(0, 12), chunk('JUNK', 0xffffffff, Buffer.alloc(9))]),
  ],
  ['four bytes', Buffer.from('RIFF')],
  ['an empty file', Buffer.alloc(0)],
])('the duration of %s is unknown', (_what, head) => {
  expect(wavSeconds(head, 50_000)).toBeUndefined();
});
