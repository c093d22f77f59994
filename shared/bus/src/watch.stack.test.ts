import { Kvm } from '@nats-io/kv';
import type { QueuedIterator } from 'nats';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bus, connectBus, streamManager } from './connection.ts';
import { openProjection, type Projection } from './projection.ts';
import { type OwnNatsServer, pauseProcess, startOwnNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';
import { type BucketWatch, watchBucket } from './watch.ts';

let nats: OwnNatsServer;
/** The time of the reader. */
let time: PassingTime;
let control: Bus;
let reader: Bus;
let projection: Projection;
const faults: unknown[] = [];

beforeAll(async () => {
  nats = await startOwnNats();
  control = await connectBus({ url: nats.url, name: 'control' });
  time = new PassingTime();
  reader = await time.connect(nats.url, 'reader', (place, thrown) => faults.push([place, thrown]));
  projection = await retried(() => openProjection(control, 'access'));
  await retried(() => projection.beat());
});

afterAll(async () => {
  await Promise.all([control.close(), time.close()]);
  await nats.stop();
});

/** Repeats a request of JetStream, which a busy server may answer too late. */
function retried<Result>(request: () => Promise<Result>): Promise<Result> {
  return vi.waitFor(request, { timeout: 60_000 });
}

/** Lets time pass until the reader checks the bucket, and what it reads then has arrived. */
async function eventually(check: () => void): Promise<void> {
  await time.clock.advance(4_000);
  await time.eventually(check, 100);
}

const put = (key: string, version: number) => retried(() => projection.put(key, { version }));
const remove = (key: string) => retried(() => projection.remove(key));

/** Watches the bucket and mirrors it in a Map. */
async function follow(): Promise<{ entries: Map<string, unknown>; watch: BucketWatch }> {
  const entries = new Map<string, unknown>();
  const put = (key: string, value: unknown) => void entries.set(key, value);
  const watch = await watchBucket(reader, 'access', { put, remove: key => void entries.delete(key) });
  return { entries, watch };
}

describe('a watched bucket', () => {
  test('is read as a whole, then change by change', async () => {
    await put('a', 1);
    const { entries, watch } = await follow();
    expect(entries.get('a')).toEqual({ version: 1 });
    await put('b', 2);
    await remove('a');
    await vi.waitFor(() => expect([...entries.keys()]).toEqual(['b']));
    expect(watch.staleMs()).toBe(0);
    watch.stop();
  });

  test('passes on a change announced before its write, and keeps the later of two versions', async () => {
    const { entries, watch } = await follow();
    projection.announce('c', { version: 9 });
    await vi.waitFor(() => expect(entries.get('c')).toEqual({ version: 9 }));
    await put('c', 3);
    await put('d', 4);
    await vi.waitFor(() => expect(entries.has('d')).toBe(true));
    expect(entries.get('c')).toEqual({ version: 9 });
    watch.stop();
  });

  test('ignores a JetStream reply that is stored under a key', async () => {
    await put('kept', 1);
    const { entries, watch } = await follow();
    control.state.publish('$JS.API.STREAM.INFO.KV_access', '', { reply: '$KV.access.kept' });
    await put('next', 6);
    await vi.waitFor(() => expect(entries.has('next')).toBe(true));
    expect(entries.get('kept')).toEqual({ version: 1 });
    watch.stop();
  });

  test('goes on after its reader throws, which is reported', async () => {
    const boom = new Error('boom');
    const read: string[] = [];
    const fail = (key: string) => {
      read.push(key);
      throw boom;
    };
    faults.length = 0;
    const watch = await watchBucket(reader, 'access', { put: fail, remove: fail });
    await put('thrown', 7);
    await put('after', 8);
    await vi.waitFor(() => expect(read).toContain('after'));
    expect(faults.length).toBe(read.length);
    expect(faults.every(fault => Array.isArray(fault) && fault[1] === boom)).toBe(true);
    watch.stop();
  });

  test('is reopened within a second when its watch ends, which is reported', async () => {
    const watches = spyOnWatches();
    faults.length = 0;
    const { entries, watch } = await follow();
    watches.at(-1)?.stop();
    await vi.waitFor(() => expect(faults).toHaveLength(1));
    await put('reopened', 9);
    await time.clock.advance(1_000);
    await vi.waitFor(() => expect(entries.has('reopened')).toBe(true));
    expect(watches).toHaveLength(2);
    watch.stop();
    vi.restoreAllMocks();
  });

  test('is reopened when its watch has died without an error', async () => {
    const { entries, watch } = await follow();
    await put('gone', 1);
    await vi.waitFor(() => expect(entries.has('gone')).toBe(true));
    await retried(killWatches);
    await remove('gone');
    await put('late', 5);
    await eventually(() => expect(entries.has('late')).toBe(true));
    expect(entries.has('gone')).toBe(false);
    watch.stop();
  });

  test('is not stale while nothing is written, but is stale while NATS is unreachable', async () => {
    const { watch } = await follow();
    await time.clock.advance(6_000);
    // The reader asks for news, and gets an answer.
    await expect.poll(() => watch.staleMs()).toBe(0);
    await pauseProcess(nats.pid);
    await time.clock.advance(6_000);
    expect(watch.staleMs()).toBeGreaterThan(5_000);
    process.kill(nats.pid, 'SIGCONT');
    await eventually(() => expect(watch.staleMs()).toBe(0));
    watch.stop();
  });

  test('is read again when NATS has lost its files', async () => {
    await put('before', 100);
    const { entries, watch } = await follow();
    await nats.restart({ empty: true });
    const write = async () => (await openProjection(control, 'access')).put('after', { version: 1 });
    await retried(write);
    await eventually(() => expect([...entries.keys()]).toEqual(['after']));
    watch.stop();
  });
});

/** Returns the watches that are opened from now on. */
function spyOnWatches(): QueuedIterator<unknown>[] {
  const watches: QueuedIterator<unknown>[] = [];
  const { open } = Kvm.prototype;
  vi.spyOn(Kvm.prototype, 'open').mockImplementation(async function (this: Kvm, ...args) {
    const kv = await open.apply(this, args);
    const { watch } = kv;
    kv.watch = async options => {
      const opened = await watch.call(kv, options);
      watches.push(opened);
      return opened;
    };
    return kv;
  });
  return watches;
}

/** Removes every watch's consumer, as the death of its server does. */
async function killWatches(): Promise<void> {
  const manager = await streamManager(control);
  for await (const { name } of manager.consumers.list('KV_access'))
    await manager.consumers.delete('KV_access', name);
}
