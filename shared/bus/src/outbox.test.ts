import type { NatsConnection } from 'nats';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { decodeMessage, FrameKind, noBytes } from './frame.ts';
import { FrameWriter, joinMs, noticeMs, Outbox, SendQueue, Urgency } from './outbox.ts';

let sent: number[][];
let queue: SendQueue;
let outbox: Outbox;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'],
  });
  vi.advanceTimersByTime(1_000);
  sent = [];
  const connection = {
    isClosed: () => false,
    isDraining: () => false,
    publish: (_subject: string, message: Uint8Array) =>
      void sent.push(decodeMessage(message).map(({ call }) => call)),
  };
  queue = new SendQueue(connection as unknown as NatsConnection);
  outbox = new Outbox(queue, 'caller');
});
afterEach(() => void vi.useRealTimers());

/** Writes a frame of a call. */
function write(call: number, urgency: Urgency): void {
  new FrameWriter(outbox, 1_000, call).write(FrameKind.events, noBytes, noBytes, 0, urgency);
}
const endOfTurn = () => vi.advanceTimersByTime(0);

test('frames of one turn are one message, sent at the end of the turn of an idle process', () => {
  write(1, Urgency.soon);
  write(2, Urgency.soon);
  write(3, Urgency.now);
  expect(sent).toEqual([]);
  endOfTurn();
  expect(sent).toEqual([[1, 2, 3]]);
});

test('frames that are soon after others are joined, and none waits longer than the window', () => {
  write(1, Urgency.soon);
  endOfTurn();
  write(2, Urgency.soon);
  endOfTurn();
  vi.advanceTimersByTime(joinMs / 2);
  write(3, Urgency.soon);
  endOfTurn();
  expect(sent).toEqual([[1]]);
  vi.advanceTimersByTime(joinMs / 2);
  expect(sent).toEqual([[1], [2, 3]]);
  vi.advanceTimersByTime(joinMs);
  write(4, Urgency.soon);
  endOfTurn();
  expect(sent).toEqual([[1], [2, 3], [4]]);
});

test('an urgent frame of a busy process is sent at the end of its turn, with those that wait', () => {
  write(1, Urgency.soon);
  endOfTurn();
  write(2, Urgency.soon);
  endOfTurn();
  write(3, Urgency.now);
  endOfTurn();
  expect(sent).toEqual([[1], [2, 3]]);
  vi.advanceTimersByTime(2 * noticeMs);
  expect(sent).toHaveLength(2);
});

test('a notice waits for the answer of any call, but not for long', () => {
  write(1, Urgency.notice);
  endOfTurn();
  write(2, Urgency.now);
  endOfTurn();
  expect(sent).toEqual([[1, 2]]);
  vi.advanceTimersByTime(joinMs);
  write(3, Urgency.notice);
  vi.advanceTimersByTime(noticeMs - 1);
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([[1, 2], [3]]);
});

test('a notice does not delay frames that are sent sooner', () => {
  write(1, Urgency.soon);
  endOfTurn();
  write(2, Urgency.notice);
  write(3, Urgency.soon);
  vi.advanceTimersByTime(joinMs);
  expect(sent).toEqual([[1], [2, 3]]);
});
