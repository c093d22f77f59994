import { expect, test } from 'vitest';
import {
  AnswerReader,
  decodeMessage,
  encodeMessage,
  FrameFlag,
  FrameKind,
  noBytes,
  protocolVersion,
  writeHead,
} from './frame.ts';

const frame = (call: number, head: unknown, bytes: string) => ({
  kind: FrameKind.events,
  flags: 2,
  call,
  seq: 7,
  head: head === undefined ? noBytes : writeHead(head),
  bytes: Buffer.from(bytes),
});

test('a decoded message has the frames that were encoded', () => {
  const frames = [frame(1, { a: 'ž' }, ''), frame(4_294_967_295, undefined, 'bytes\n'), frame(3, [], 'x')];
  const read = decodeMessage(encodeMessage(frames));
  expect(read.map(f => ({ ...f, head: f.head.toString(), bytes: f.bytes.toString() }))).toEqual(
    frames.map(f => ({ ...f, head: f.head.toString(), bytes: f.bytes.toString() })),
  );
});

test('a message of another version, truncated or with trailing bytes has no frames', () => {
  const message = encodeMessage([frame(1, {}, 'abc')]);
  expect(decodeMessage(message.subarray(0, -1))).toEqual([]);
  expect(decodeMessage(Buffer.concat([message, Buffer.from([0])]))).toEqual([]);
  expect(decodeMessage(Buffer.concat([Buffer.from([protocolVersion + 1]), message.subarray(1)]))).toEqual([]);
  expect(decodeMessage(noBytes)).toEqual([]);
});

test('two messages never share a buffer, since NATS references it until it is sent', () => {
  const first = encodeMessage([frame(1, {}, 'first')]);
  encodeMessage([frame(2, {}, 'other')]);
  expect(decodeMessage(first)[0]?.bytes.toString()).toBe('first');
});

test('audio is read with its media type, where the frame has one', () => {
  const frame = { kind: FrameKind.audio, flags: FrameFlag.none, call: 1, bytes: Buffer.from('abc') };
  const reader = new AnswerReader();
  const first = { ...frame, seq: 0, head: writeHead({ mediaType: 'audio/mpeg' }) };
  expect(reader.read(first)).toEqual([{ type: 'audio', bytes: frame.bytes, mediaType: 'audio/mpeg' }]);
  expect(reader.read({ ...frame, seq: 1, head: noBytes })).toEqual([{ type: 'audio', bytes: frame.bytes }]);
  expect(reader.weight).toBe(3);
});

test('events in several frames weigh as much as all frames, so that all credit is returned', () => {
  const head = Buffer.from(JSON.stringify([{ type: 'part-delta', index: 0, text: 'x'.repeat(100) }]));
  const frame = { kind: FrameKind.events, call: 1, bytes: noBytes };
  const reader = new AnswerReader();
  expect(reader.read({ ...frame, flags: FrameFlag.more, seq: 0, head: head.subarray(0, 90) })).toEqual([]);
  expect(reader.read({ ...frame, flags: 0, seq: 1, head: head.subarray(90) })).toHaveLength(1);
  expect(reader.weight).toBe(head.length);
  expect(reader.read({ ...frame, flags: 0, seq: 2, head })).toHaveLength(1);
  expect(reader.weight).toBe(head.length);
});

test('an answer of which a frame is missing is damaged', () => {
  const frame = {
    kind: FrameKind.verbatim,
    flags: FrameFlag.none,
    call: 1,
    head: noBytes,
    bytes: Buffer.from('a'),
  };
  const reader = new AnswerReader();
  expect(reader.read({ ...frame, seq: 0 })).toHaveLength(1);
  expect(() => reader.read({ ...frame, seq: 2 })).toThrow('received frame 2 instead of 1');
});
