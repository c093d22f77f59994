import type { NatsConnection } from 'nats';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { decodeMessage, FrameKind, noBytes } from './frame.ts';
import { FrameWriter, noticeMs, Outbox, SendQueue, turnMs, Urgency } from './outbox.ts';

let sent: number[][];
/** The times for which the process slept, in milliseconds. */
let slept: number[];
let queue: SendQueue;
let outbox: Outbox;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'],
  });
  vi.advanceTimersByTime(1_000);
  sent = [];
  slept = [];
  const connection = {
    isClosed: () => false,
    isDraining: () => false,
    publish: (_subject: string, message: Uint8Array) =>
      void sent.push(decodeMessage(message).map(({ call }) => call)),
  };
  queue = new SendQueue(connection as unknown as NatsConnection, ms => {
    slept.push(ms);
    vi.advanceTimersByTime(ms);
  });
  outbox = new Outbox(queue, 'caller');
});
afterEach(() => void vi.useRealTimers());

/** Writes a frame of a call. */
function write(call: number, urgency: Urgency): void {
  new FrameWriter(outbox, 1_000, call).write(FrameKind.events, noBytes, noBytes, 0, urgency);
}
/** Ends the turn, and the sleep that follows it. */
async function endOfTurn(): Promise<void> {
  vi.advanceTimersByTime(0);
  await Promise.resolve();
}

test('frames of one turn are one message, sent at the end of the turn', async () => {
  write(1, Urgency.part);
  write(2, Urgency.part);
  write(3, Urgency.now);
  expect(sent).toEqual([]);
  await endOfTurn();
  expect(sent).toEqual([[1, 2, 3]]);
});

test('the process sleeps after parts that follow each other, for the rest of a turn, and holds no part back', async () => {
  write(1, Urgency.part);
  await endOfTurn();
  expect(slept).toEqual([]);
  vi.advanceTimersByTime(turnMs / 4);
  write(2, Urgency.part);
  await endOfTurn();
  expect(sent).toEqual([[1], [2]]);
  expect(slept).toEqual([turnMs - turnMs / 4]);
  write(3, Urgency.part);
  await endOfTurn();
  expect(sent).toEqual([[1], [2], [3]]);
  expect(slept.slice(1)).toEqual([turnMs]);
});

test('the process does not sleep after a long turn, nor after frames that are no further parts', async () => {
  write(1, Urgency.part);
  await endOfTurn();
  vi.advanceTimersByTime(turnMs);
  write(2, Urgency.part);
  await endOfTurn();
  write(3, Urgency.now);
  await endOfTurn();
  write(4, Urgency.notice);
  vi.advanceTimersByTime(noticeMs);
  await endOfTurn();
  expect(sent).toEqual([[1], [2], [3], [4]]);
  expect(slept).toEqual([]);
});

test('the bytes are with NATS before the process sleeps', async () => {
  let written = false;
  const connection = {
    isClosed: () => false,
    isDraining: () => false,
    // As the client of NATS does.
    publish: () => queueMicrotask(() => (written = true)),
  };
  const writtenBefore: boolean[] = [];
  queue = new SendQueue(connection as unknown as NatsConnection, () => writtenBefore.push(written));
  outbox = new Outbox(queue, 'caller');
  write(1, Urgency.part);
  await endOfTurn();
  written = false;
  write(1, Urgency.part);
  await endOfTurn();
  expect(writtenBefore).toEqual([true]);
});

test('a notice waits for the answer of any call, but not for long', async () => {
  write(1, Urgency.notice);
  await endOfTurn();
  write(2, Urgency.now);
  await endOfTurn();
  expect(sent).toEqual([[1, 2]]);
  write(3, Urgency.notice);
  vi.advanceTimersByTime(noticeMs - 1);
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([[1, 2], [3]]);
});

test('a notice is sent with a part that comes before its end', async () => {
  write(1, Urgency.notice);
  write(2, Urgency.part);
  await endOfTurn();
  expect(sent).toEqual([[1, 2]]);
  vi.advanceTimersByTime(2 * noticeMs);
  expect(sent).toHaveLength(1);
});
