import { setImmediate } from 'node:timers/promises';
import { type Bus, connectBus } from '@model-gateway/bus';
import { type OwnNatsServer, startOwnNats } from '@model-gateway/bus/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  EventLog,
  logStreams,
  queueStream,
  RevisionedStore,
  ShareExceededError,
  storedSize,
  valueStreams,
  WorkQueue,
} from './index.ts';
import { Tally } from './tally.ts';
import { jobs, logs, values } from './testing/names.ts';
import { makeStreams } from './testing/streams.ts';

let nats: OwnNatsServer;
const buses: Bus[] = [];
const options = { ttlMs: 3_600_000 };

beforeEach(async () => {
  nats = await startOwnNats();
  await makeStreams(await connect(), [
    ...valueStreams(values, { ...options, replicas: 1, maxBytes: 10_000_000 }),
    ...logStreams(logs, { ...options, replicas: 1, maxBytes: 3_000_000 }),
    queueStream(jobs, { replicas: 1, maxBytes: 20_000 }),
  ]);
});
afterEach(async () => {
  for (const bus of buses.splice(0)) await bus.close();
  await nats.stop();
});

async function connect(): Promise<Bus> {
  const bus = await connectBus({ url: nats.url, name: 'test' });
  buses.push(bus);
  return bus;
}

const value = Buffer.alloc(1_000_000, 'ab');

test('an owner with half of the space is refused at every replica, also after a restart, and no other owner is', async () => {
  const [one, other] = [
    await RevisionedStore.open(await connect(), values, options),
    await RevisionedStore.open(await connect(), values, options),
  ];
  for (let i = 0; i < 6; i++) await (i % 2 ? one : other).put(`greedy.${i}`, value, 0);
  for (const keep of [one, other]) {
    await expect.poll(() => keep.isUsedUpBy('greedy')).toBe(true);
    expect(await keep.isUsedUpBy('victim')).toBe(false);
  }
  await nats.restart();
  const fresh = await RevisionedStore.open(await connect(), values, options);
  await expect.poll(() => fresh.isUsedUpBy('greedy')).toBe(true);
  expect(await fresh.isUsedUpBy('victim')).toBe(false);
  await fresh.remove('greedy.0');
  await fresh.remove('greedy.1');
  await expect.poll(() => fresh.isUsedUpBy('greedy')).toBe(false);
  for (const keep of [one, other, fresh]) keep.close();
});

test('a rewritten value counts once, whichever process writes it, and removing a key removes the keys below it', async () => {
  const bus = await connect();
  const keep = await RevisionedStore.open(bus, values, options);
  const second = await RevisionedStore.open(await connect(), values, options);
  let revision = await keep.put('p.a', value, 0);
  for (let i = 0; i < 5; i++) {
    const writer = i % 2 ? keep : second;
    await writer.get('p.a');
    revision = await writer.put('p.a', value, revision);
  }
  for (let i = 0; i < 3; i++) await keep.put(`p.conv.${i}`, value.subarray(0, 300_000));
  for (const each of [keep, second]) each.close();
  const tally = await Tally.open(bus, { ...options, ...values });
  const bytes = async () => Math.round((await tally.of('p')) / 100_000);
  await expect.poll(bytes).toBe(19);
  const third = await RevisionedStore.open(bus, values, options);
  await third.remove('p.conv', { bytes: 3 * storedSize(300_000), at: Date.now() });
  third.close();
  await expect.poll(bytes).toBe(10);
  tally.close();
});

test('expired bytes leave the count gradually', async () => {
  const tally = await Tally.open(await connect(), { ...options, ...values });
  const now = Date.now();
  tally.add('p', 1_000, now);
  tally.add('p', 500, now - options.ttlMs / 2);
  const after = (ms: number) => tally.of('p', now + ms);
  await expect.poll(() => after(0)).toBe(1_500);
  expect(await after(options.ttlMs * 0.6)).toBe(1_000);
  expect(await after(options.ttlMs * 1.1)).toBe(0);
  tally.close();
});

test('counts that are added while the connection closes are dropped without an error', async () => {
  const bus = await connect();
  const tally = await Tally.open(bus, { ...options, ...values });
  const closed = bus.close();
  while (!bus.state.isClosed()) {
    tally.add('p', 1);
    tally.close();
    await setImmediate();
  }
  await closed;
});

test('events count for the owner of their log until they are removed', async () => {
  const log = await EventLog.open(await connect(), logs, options);
  const writer = log.writer('greedy.a');
  for (let i = 0; i < 4; i++) writer.add(value.subarray(0, 500_000));
  await writer.flush();
  await expect.poll(() => log.isUsedUpBy('greedy')).toBe(true);
  expect(await log.isUsedUpBy('victim')).toBe(false);
  await log.remove('greedy.a');
  await expect.poll(() => log.isUsedUpBy('greedy')).toBe(false);
  log.close();
});

test('one owner may have at most half of the waiting jobs', async () => {
  const work = { together: 1, run: async () => 'done' as const, failed: () => {} };
  const queue = new WorkQueue(await connect(), jobs, work);
  queue.start();
  await queue.add('first', 'first', 'greedy');
  await queue.drain();
  const add = async (owner: string) => {
    for (let i = 0; ; i++) {
      const error = await queue
        .add('x'.repeat(500), `${owner}-${i}`, owner)
        .catch((thrown: unknown) => thrown);
      if (error) return { error, i };
    }
  };
  const { error, i } = await add('greedy');
  expect(error).toBeInstanceOf(ShareExceededError);
  expect(i).toBeGreaterThan(10);
  await queue.add('x', 'victim', 'victim');
  await queue.close();
});
