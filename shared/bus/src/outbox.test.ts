import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '@model-gateway/clock/testing';
import type { NatsConnection } from 'nats';
import { beforeEach, expect, test } from 'vitest';
import { decodeMessage, FrameKind, noBytes } from './frame.ts';
import { FrameWriter, noticeMs, Outbox, SendQueue, turnMs, Urgency } from './outbox.ts';

/** A clock that passes while the process sleeps. */
class SleepersClock extends ManualClock {
  /** The times for which the process slept, in milliseconds. */
  readonly slept: number[] = [];

  override monotonic(): number {
    return super.monotonic() + this.slept.reduce((sum, ms) => sum + ms, 0);
  }
}

let clock: SleepersClock;
let sent: number[][];
let queue: SendQueue;
let outbox: Outbox;

beforeEach(async () => {
  clock = new SleepersClock();
  await clock.advance(1_000);
  sent = [];
  const connection = {
    isClosed: () => false,
    isDraining: () => false,
    publish: (_subject: string, message: Uint8Array) =>
      void sent.push(decodeMessage(message).map(({ call }) => call)),
  };
  queue = new SendQueue(connection as unknown as NatsConnection, clock, ms => void clock.slept.push(ms));
  outbox = new Outbox(queue, 'caller');
});

/** Writes a frame of a call. */
function write(call: number, urgency: Urgency): void {
  new FrameWriter(outbox, 1_000, call).write(FrameKind.events, noBytes, noBytes, 0, urgency);
}

test('frames of one turn are one message, sent at the end of the turn', async () => {
  write(1, Urgency.part);
  write(2, Urgency.part);
  write(3, Urgency.now);
  expect(sent).toEqual([]);
  await nextTurn();
  expect(sent).toEqual([[1, 2, 3]]);
});

test('the process sleeps after parts that follow each other, for the rest of a turn, and holds no part back', async () => {
  write(1, Urgency.part);
  await nextTurn();
  expect(clock.slept).toEqual([]);
  await clock.advance(turnMs / 4);
  write(2, Urgency.part);
  await nextTurn();
  expect(sent).toEqual([[1], [2]]);
  expect(clock.slept).toEqual([turnMs - turnMs / 4]);
  write(3, Urgency.part);
  await nextTurn();
  expect(sent).toEqual([[1], [2], [3]]);
  expect(clock.slept.slice(1)).toEqual([turnMs]);
});

test('the process does not sleep after a long turn, nor after frames that are no further parts', async () => {
  write(1, Urgency.part);
  await nextTurn();
  await clock.advance(turnMs);
  write(2, Urgency.part);
  await nextTurn();
  write(3, Urgency.now);
  await nextTurn();
  write(4, Urgency.notice);
  await clock.advance(noticeMs);
  await nextTurn();
  expect(sent).toEqual([[1], [2], [3], [4]]);
  expect(clock.slept).toEqual([]);
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
  queue = new SendQueue(connection as unknown as NatsConnection, clock, () => writtenBefore.push(written));
  outbox = new Outbox(queue, 'caller');
  write(1, Urgency.part);
  await nextTurn();
  written = false;
  write(1, Urgency.part);
  await nextTurn();
  expect(writtenBefore).toEqual([true]);
});

test('a notice waits for the answer of any call, but not for long', async () => {
  write(1, Urgency.notice);
  await nextTurn();
  write(2, Urgency.now);
  await nextTurn();
  expect(sent).toEqual([[1, 2]]);
  write(3, Urgency.notice);
  await clock.advance(noticeMs - 1);
  expect(sent).toHaveLength(1);
  await clock.advance(1);
  expect(sent).toEqual([[1, 2], [3]]);
});

test('a notice is sent with a part that comes before its end', async () => {
  write(1, Urgency.notice);
  write(2, Urgency.part);
  await nextTurn();
  expect(sent).toEqual([[1, 2]]);
  await clock.advance(2 * noticeMs);
  expect(sent).toHaveLength(1);
});
