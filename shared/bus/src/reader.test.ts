import { expect, test } from 'vitest';
import { FrameFlag, FrameKind, noBytes } from './frame.ts';
import { AnswerReader } from './reader.ts';

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
