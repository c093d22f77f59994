import { type Bus, connectBus, storeClients } from '@model-gateway/bus';
import { type OwnNatsServer, startOwnNats } from '@model-gateway/bus/testing';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { EventLog, logStreams, pieceBytes, RevisionedStore, storedSize, valueStreams } from './index.ts';
import { Tally } from './tally.ts';
import { logs, values } from './testing/names.ts';
import { makeStreams } from './testing/streams.ts';

let nats: OwnNatsServer;
let bus: Bus;
let keep: RevisionedStore;
/** The requests to read that reached NATS. */
let reads: string[] = [];
const options = { ttlMs: 3_600_000 };

beforeAll(async () => {
  nats = await startOwnNats();
});
afterAll(() => nats.stop());
beforeEach(async () => {
  bus = await connectBus({ url: nats.url, name: 'test' });
  await makeStreams(bus, [
    ...valueStreams(values, { ...options, replicas: 1, maxBytes: 200_000_000 }),
    ...logStreams(logs, { ...options, replicas: 1, maxBytes: 100_000_000 }),
  ]);
  keep = await RevisionedStore.open(bus, values, options);
  reads = [];
  for (const subject of ['$JS.API.STREAM.MSG.GET.*', '$JS.API.DIRECT.GET.*'])
    bus.state.subscribe(subject, { callback: (_, { subject }) => void reads.push(subject) });
  await bus.state.flush();
});
afterEach(async () => {
  keep.close();
  await bus.close();
});

/** Returns how many requests to read `work` made. */
async function readsOf<T>(work: () => Promise<T>): Promise<[number, T]> {
  await bus.state.flush();
  reads = [];
  const result = await work();
  await bus.state.flush();
  return [reads.length, result];
}

const large = Buffer.alloc(5 * pieceBytes + 100, 'abcdefg');

test('a part of a large value is read by the pieces that hold it', async () => {
  await keep.put('p.large', large, 0, { sections: [10, large.length - 10] });
  const [headReads, head] = await readsOf(() => keep.head('p.large'));
  expect(headReads).toBe(1);
  expect(head).toMatchObject({ bytes: large.length, sections: [10, large.length - 10], value: undefined });
  if (!head) throw new Error('no head');
  const slice = (from: number, to: number) => readsOf(() => keep.slice('p.large', head, { from, to }));
  for (const [from, to, count] of [
    [20, 30, 1],
    [pieceBytes - 5, pieceBytes + 5, 2],
    [5 * pieceBytes, large.length, 1],
    [0, large.length, 6],
  ] as const) {
    const [made, bytes] = await slice(from, to);
    expect(made).toBe(count);
    expect(bytes?.equals(large.subarray(from, to))).toBe(true);
  }
  await keep.put('p.large', Buffer.from('small'), head.revision);
  await vi.waitFor(async () => expect((await slice(20, 30))[1]).toBeUndefined());
});

test('what is read beyond a head is reserved first', async () => {
  await keep.put('p.large', large);
  const refused = () => {
    throw new Error('no room');
  };
  const [made, error] = await readsOf(() => keep.get('p.large', { reserve: refused }).catch(error => error));
  expect([made, error.message]).toEqual([1, 'no room']);
  const reserved: number[] = [];
  await keep.get('p.large', { reserve: bytes => void reserved.push(bytes) });
  expect(reserved).toEqual([6 * pieceBytes]);
  await keep.put('p.small', Buffer.from('small'));
  await keep.getEarlier(['p.large', 'p.small'], { reserve: bytes => void reserved.push(bytes) });
  expect(reserved).toEqual([6 * pieceBytes, 6 * pieceBytes, 5]);
});

test('a read ends when its client leaves', async () => {
  await keep.put('p.large', large);
  const left = new AbortController();
  const reserve = () => left.abort(new Error('left'));
  await expect(keep.get('p.large', { reserve, signal: left.signal })).rejects.toThrow('left');
});

test('a removal reads no value, and frees the space of its owner', async () => {
  const tally = await Tally.open(bus, { ...values, ...options });
  await keep.put('q.large', large);
  await keep.put('q.large.below', large);
  const other = await RevisionedStore.open(bus, values, options);
  await vi.waitFor(async () => expect(await tally.of('q')).toBeCloseTo(2 * storedSize(large.length), -3));
  const below = { bytes: storedSize(large.length), at: Date.now() };
  const [made] = await readsOf(() => other.remove('q.large', below));
  expect(made).toBe(1);
  await vi.waitFor(async () => expect(await tally.of('q')).toBeLessThan(1_000));
  other.close();
  tally.close();
});

test('the removal of a log reads its first and last piece, and frees the space of its owner', async () => {
  const tally = await Tally.open(bus, { ...logs, ...options });
  const log = await EventLog.open(bus, logs, options);
  const writer = log.writer('q.a');
  for (let i = 0; i < 10; i++) {
    writer.add(large.subarray(0, 300_000));
    await writer.flush();
  }
  const last = await log.last('q.a');
  const next = log.writer('q.a', { after: last });
  next.add('the end', true);
  await next.flush();
  await vi.waitFor(async () => expect(await tally.of('q')).toBeGreaterThan(3_000_000));
  const [made] = await readsOf(() => log.remove('q.a'));
  expect(made).toBe(2);
  await vi.waitFor(async () => expect(await tally.of('q')).toBeLessThan(1_000));
  log.close();
  tally.close();
});

test('a log is read a few pieces at a time', async () => {
  const log = await EventLog.open(bus, logs, options);
  const writer = log.writer('p.a');
  for (let i = 0; i < 8; i++) {
    writer.add(large.subarray(0, 200_000), i === 7);
    await writer.flush();
  }
  const sizes: number[] = [];
  const run = async <T extends { bytes: Buffer }[]>(read: () => Promise<T>): Promise<T> => {
    const pieces = await read();
    sizes.push(pieces.reduce((sum, { bytes }) => sum + bytes.length, 0));
    return pieces;
  };
  let all = 0;
  for await (const { bytes } of log.read('p.a', run)) all += bytes.length;
  expect(all).toBe(1_600_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(500_000);
  log.close();
});

test('the followers of a log share one subscription', async () => {
  const log = await EventLog.open(bus, logs, options);
  const writer = log.writer('p.shared');
  const { connection } = await storeClients(bus);
  const before = connection.stats().inMsgs;
  const texts = Array.from({ length: 20 }, async () => {
    let text = '';
    const { signal } = new AbortController();
    for await (const { bytes } of log.follow('p.shared', { signal })) text += bytes;
    return text;
  });
  writer.add('all of it', true);
  await writer.flush();
  expect(await Promise.all(texts)).toEqual(Array(20).fill('all of it'));
  // Each follower reads the piece and its end; the notification, and the acknowledgement of the write, arrive once.
  expect(connection.stats().inMsgs - before).toBeLessThan(20 * 4);
  log.close();
});

test('a store whose connection is lost says so, and leaves the other connections as they are', async () => {
  expect(bus.isUp('store')).toBe(true);
  await (await bus.openStore()).close();
  expect(keep.problem?.message).toBe('NATS cannot be reached');
  expect([bus.isUp('store'), bus.connected()]).toEqual([false, true]);
});

test('a process that stores nothing has no connection for it', async () => {
  const other = await connectBus({ url: nats.url, name: 'other' });
  expect([...other.open.keys()]).toEqual(['calls', 'state']);
  expect(other.isUp('store')).toBe(false);
  await Promise.all([other.openStore(), other.openStore()]);
  expect([...other.open.keys()]).toEqual(['calls', 'state', 'store']);
  await other.close();
  expect([...other.open.values()].every(connection => connection.isClosed())).toBe(true);
});
