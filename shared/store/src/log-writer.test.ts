import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test, vi } from 'vitest';
import { LogWriter, maxLogWaiting, uncountedWaiting } from './log-writer.ts';

/** A writer whose messages NATS takes one by one, and the room that it holds. */
function open(most = Number.POSITIVE_INFINITY) {
  const sent: { bytes: number; taken(): void }[] = [];
  const client = {
    publish(_: string, value: Uint8Array) {
      const { promise, resolve } = Promise.withResolvers<{ seq: number }>();
      sent.push({ bytes: value.length, taken: () => resolve({ seq: sent.length }) });
      return promise;
    },
  };
  const to = { client, clock: new ManualClock(), share: { add() {} }, stream: 's', subject: 'a', owner: 'p' };
  const writer = new LogWriter({ ...to, ttlMs: 1_000 } as never, {});
  const room = {
    held: 0,
    take(bytes: number) {
      if (room.held + bytes > most) throw new Error('no room');
      room.held += bytes;
    },
    give(bytes: number) {
      room.held -= bytes;
    },
  };
  writer.room = room;
  return { writer, room, sent };
}

test('bytes that wait are held from 64 KiB on, and given back as NATS takes them', async () => {
  const { writer, room, sent } = open();
  writer.add(Buffer.alloc(uncountedWaiting));
  expect(room.held).toBe(0);
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  for (let i = 0; i < 10; i++) writer.add(Buffer.alloc(100_000));
  expect(room.held).toBe(1_000_000);
  sent[0]?.taken();
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(room.held).toBe(1_000_000 - (sent[1]?.bytes ?? 0));
  sent[1]?.taken();
  await vi.waitFor(() => expect(sent).toHaveLength(3));
  expect(room.held).toBe(0);
  expect(writer.broken).toBeUndefined();
});

test.each([
  ['there is no room', 500_000, 100_000],
  ['more than its bound waits', Number.POSITIVE_INFINITY, maxLogWaiting],
])('a log breaks if %s, and holds nothing then', async (_, most, bytes) => {
  const { writer, room } = open(most);
  const broken = vi.fn();
  writer.onBroken = broken;
  for (let i = 0; i < 10; i++) writer.add(Buffer.alloc(bytes));
  expect([broken.mock.calls.length, room.held]).toEqual([1, 0]);
  expect(writer.broken).toBeInstanceOf(Error);
});
