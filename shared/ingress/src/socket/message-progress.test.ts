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

/** Reads a whole chunk, and returns what it ended. */
function read(progress: MessageProgress, chunk: Uint8Array): (string | undefined)[] {
  const ended: (string | undefined)[] = [];
  for (let at = 0; at < chunk.length && !progress.closed; ) {
    at = progress.read(chunk, at);
    if (progress.ended) ended.push(progress.ended);
  }
  return ended;
}

test.each([0, 1, 125, 126, 65_535, 65_536, 200_000])(
  'a message of %i bytes is complete at its last byte',
  size => {
    const progress = new MessageProgress();
    const bytes = frame(text, size);
    for (const cut of [1, 3, Math.floor(bytes.length / 2), bytes.length - 1]) {
      expect(read(progress, bytes.subarray(0, cut))).toEqual([]);
      expect(progress.held).toBeGreaterThanOrEqual(Math.max(0, cut - 14));
      expect(read(progress, bytes.subarray(cut))).toEqual(['message']);
      expect([progress.partial, progress.held]).toEqual([false, 0]);
    }
    // Also byte by byte, with the next message begun in the same read.
    const runs = [...bytes, ...frame(binary, 9)].flatMap(byte => read(progress, Uint8Array.of(byte)));
    expect(runs).toEqual(['message', 'message']);
    const many = Buffer.concat([bytes, bytes, frame(binary, 100).subarray(0, 50)]);
    expect(read(progress, many)).toEqual(['message', 'message']);
    expect(progress.partial).toBe(true);
  },
);

test('a read ends after a message or a control frame, at the offset that it returns', () => {
  const progress = new MessageProgress();
  const parts = [frame(text, 5), frame(ping, 3), frame(text, 0), frame(binary, 300, { last: false })];
  const chunk = Buffer.concat(parts);
  let at = 0;
  for (const [i, { length }] of parts.entries()) {
    expect(progress.read(chunk, at)).toBe(at + length);
    at += length;
    expect(progress.ended).toBe(['message', 'control', 'message', undefined][i]);
  }
});

test('fragments add up until the last one, even with control frames between them', () => {
  const progress = new MessageProgress();
  expect(read(progress, frame(text, 1_000, { last: false }))).toEqual([]);
  expect(read(progress, frame(ping, 100))).toEqual(['control']);
  expect(read(progress, frame(continuation, 1_000, { last: false }))).toEqual([]);
  expect(progress.partial).toBe(true);
  expect(progress.held).toBeGreaterThanOrEqual(2_000);
  expect(read(progress, frame(continuation, 0))).toEqual(['message']);
  expect([progress.partial, progress.held]).toEqual([false, 0]);
});

test('control frames, complete or not, are no part of a message', () => {
  const progress = new MessageProgress();
  for (let i = 0; i < 100; i++) read(progress, frame(ping, 125));
  read(progress, frame(ping, 125).subarray(0, 60));
  expect([progress.partial, progress.held]).toEqual([false, 0]);
});

test('each small piece counts an overhead', () => {
  const progress = new MessageProgress();
  read(progress, Buffer.concat(Array.from({ length: 1_000 }, () => frame(continuation, 1, { last: false }))));
  expect(progress.held).toBeGreaterThan(200_000);
  const dribbled = new MessageProgress();
  for (const byte of frame(text, 1_000).subarray(0, 1_000)) read(dribbled, Uint8Array.of(byte));
  expect(dribbled.held).toBeGreaterThan(200_000);
});

test('data after a close frame is ignored', () => {
  const progress = new MessageProgress();
  read(progress, Buffer.concat([frame(close, 2), frame(text, 1_000).subarray(0, 500)]));
  expect([progress.closed, progress.partial, progress.held]).toEqual([true, false, 0]);
});
