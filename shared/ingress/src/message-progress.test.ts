import { expect, test } from 'vitest';
import { MessageProgress } from './message-progress.ts';

/** Builds a client's frame, masked by zeros. */
function frame(opcode: number, payload: number, { last = true } = {}): Buffer {
  const head = Buffer.alloc(payload > 65_535 ? 14 : payload > 125 ? 8 : 6);
  head[0] = (last ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (payload > 65_535 ? 127 : payload > 125 ? 126 : payload);
  if (payload > 65_535) head.writeBigUInt64BE(BigInt(payload), 2);
  else if (payload > 125) head.writeUInt16BE(payload, 2);
  return Buffer.concat([head, Buffer.alloc(payload)]);
}

const [continuation, text, binary, close, ping] = [0, 1, 2, 8, 9];

test.each([0, 1, 125, 126, 65_535, 65_536, 200_000])(
  'a message of %i bytes is complete at its last byte',
  size => {
    const progress = new MessageProgress();
    const bytes = frame(text, size);
    for (const cut of [1, 3, Math.floor(bytes.length / 2), bytes.length - 1]) {
      expect(progress.read(bytes.subarray(0, cut))).toBe(false);
      expect(progress.held).toBeGreaterThanOrEqual(Math.max(0, cut - 14));
      expect(progress.read(bytes.subarray(cut))).toBe(true);
      expect([progress.partial, progress.held]).toEqual([false, 0]);
    }
    // Also byte by byte, with the next message begun in the same read.
    const runs = [...bytes, ...frame(binary, 9)].map(byte => progress.read(Uint8Array.of(byte)));
    expect(runs.filter(Boolean)).toHaveLength(2);
    expect(progress.read(Buffer.concat([bytes, bytes, frame(binary, 100).subarray(0, 50)]))).toBe(true);
    expect(progress.partial).toBe(true);
  },
);

test('fragments add up until the last one, even with control frames between them', () => {
  const progress = new MessageProgress();
  expect(progress.read(frame(text, 1_000, { last: false }))).toBe(false);
  expect(progress.read(frame(ping, 100))).toBe(false);
  expect(progress.read(frame(continuation, 1_000, { last: false }))).toBe(false);
  expect(progress.partial).toBe(true);
  expect(progress.held).toBeGreaterThanOrEqual(2_000);
  expect(progress.read(frame(continuation, 0))).toBe(true);
  expect([progress.partial, progress.held]).toEqual([false, 0]);
});

test('control frames, complete or not, are no part of a message', () => {
  const progress = new MessageProgress();
  for (let i = 0; i < 100; i++) progress.read(frame(ping, 125));
  progress.read(frame(ping, 125).subarray(0, 60));
  expect([progress.partial, progress.held]).toEqual([false, 0]);
});

test('each small piece counts an overhead', () => {
  const progress = new MessageProgress();
  progress.read(Buffer.concat(Array.from({ length: 1_000 }, () => frame(continuation, 1, { last: false }))));
  expect(progress.held).toBeGreaterThan(200_000);
  const dribbled = new MessageProgress();
  for (const byte of frame(text, 1_000).subarray(0, 1_000)) dribbled.read(Uint8Array.of(byte));
  expect(dribbled.held).toBeGreaterThan(200_000);
});

test('data after a close frame is ignored', () => {
  const progress = new MessageProgress();
  progress.read(Buffer.concat([frame(close, 2), frame(text, 1_000).subarray(0, 500)]));
  expect([progress.partial, progress.held]).toEqual([false, 0]);
});
