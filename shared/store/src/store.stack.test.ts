import { setImmediate as endOfTurn } from 'node:timers/promises';
import { type Bus, connectBus, streamManager } from '@model-gateway/bus';
import { type OwnNatsServer, pauseProcess, startOwnNats } from '@model-gateway/bus/testing';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { nanos } from 'nats';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  EventLog,
  logStreams,
  queueStream,
  RevisionConflictError,
  RevisionedStore,
  StoreFullError,
  valueStreams,
  WorkQueue,
} from './index.ts';
import { jobs, logs, values } from './testing/names.ts';
import { makeStreams } from './testing/streams.ts';

let nats: OwnNatsServer;
let bus: Bus;
/** A bus on which time passes only where a test lets it pass. */
let timed: Bus;
let time: PassingTime;
const options = { ttlMs: 60_000 };
const jobQueue = queueStream(jobs, { replicas: 1, maxBytes: 3_000_000 });
const streams = [
  ...valueStreams(values, { ...options, replicas: 1, maxBytes: 200_000_000 }),
  ...logStreams(logs, { ...options, replicas: 1, maxBytes: 100_000_000 }),
  jobQueue,
];

beforeAll(async () => {
  nats = await startOwnNats();
});
afterAll(() => nats.stop());
beforeEach(async () => {
  time = new PassingTime();
  bus = await connectBus({ url: nats.url, name: 'test' });
  timed = await time.connect(nats.url, 'timed');
  await makeStreams(bus, streams);
});
afterEach(async () => {
  const manager = await streamManager(bus);
  await vi.waitFor(async () => {
    for await (const name of manager.streams.names()) await manager.streams.delete(name);
  });
  await Promise.all([bus.close(), time.close()]);
});

/** Lets time pass while work goes on: what NATS does not answer in time is tried again later. */
async function during<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  await time.eventually(() => expect(isDone).toBe(true), 20);
  return work;
}

test('a stored value is visible to another process at once, also after a kill of NATS', async () => {
  const keep = await RevisionedStore.open(bus, values, options);
  const other = await connectBus({ url: nats.url, name: 'other' });
  try {
    const reader = await RevisionedStore.open(other, values, options);
    for (let i = 0; i < 50; i++) {
      await keep.put('p.a', Buffer.from(`value ${i}`));
      expect((await reader.get('p.a'))?.value.toString()).toBe(`value ${i}`);
    }
    await nats.restart();
    await vi.waitFor(() => expect(other.connected()).toBe(true));
    expect((await reader.get('p.a'))?.value.toString()).toBe('value 49');
    expect(await reader.get('p.b')).toBeUndefined();
  } finally {
    await other.close();
  }
});

test('a value larger than a message is stored in pieces and removed as a whole', async () => {
  const keep = await RevisionedStore.open(bus, values, options);
  const large = Buffer.alloc(5_000_001, 'ab');
  await keep.put('p.large', large);
  expect((await keep.get('p.large'))?.value.equals(large)).toBe(true);
  await keep.put('p.largest', Buffer.from('x'));
  await keep.remove('p.large');
  expect(await keep.get('p.large')).toBeUndefined();
  expect(await keep.remove('p.large')).toBe(false);
  expect((await keep.get('p.largest'))?.value.toString()).toBe('x');
});

test('a write that follows an outdated revision is refused', async () => {
  const keep = await RevisionedStore.open(bus, values, options);
  const first = await keep.put('p.a', Buffer.from('1'), 0);
  await expect(keep.put('p.a', Buffer.from('2'), 0)).rejects.toThrow(RevisionConflictError);
  const second = await keep.put('p.a', Buffer.from('2'), first);
  await expect(keep.put('p.a', Buffer.from('3'), first)).rejects.toThrow(RevisionConflictError);
  expect(await keep.get('p.a')).toMatchObject({ revision: second });
});

test('a write that is repeated while the server hangs is stored once and does not conflict with itself', async () => {
  const keep = await RevisionedStore.open(bus, values, options);
  const log = await EventLog.open(bus, logs, options);
  const revision = await keep.put('p.a', Buffer.from('1'), 0);
  const hanging = await during(RevisionedStore.open(timed, values, options));
  const writer = (await during(EventLog.open(timed, logs, options))).writer('p.a');
  // The paused server answers nothing: requests wait in its socket, and the first ones time out.
  await pauseProcess(nats.pid);
  const timers = time.clock.waiting;
  const put = hanging.put('p.a', Buffer.from('2'), revision);
  writer.add('all of it', true);
  // Both wait for their next attempt.
  await vi.waitFor(() => expect(time.clock.waiting).toBe(timers + 2));
  process.kill(nats.pid, 'SIGCONT');
  const second = await during(put);
  await during(writer.flush());
  expect(writer.broken).toBeUndefined();
  expect(await keep.get('p.a')).toMatchObject({ revision: second, value: Buffer.from('2') });
  expect((await Array.fromAsync(log.read('p.a'))).map(({ bytes }) => bytes.toString())).toEqual([
    'all of it',
  ]);
});

test('a value expires after its time to live', async () => {
  const keep = await RevisionedStore.open(bus, values, { ttlMs: 1_000 });
  const longer = await RevisionedStore.open(bus, values, options);
  await keep.put('p.a', Buffer.from('1'));
  await longer.put('p.b', Buffer.from('2'));
  await vi.waitFor(async () => expect(await keep.get('p.a')).toBeUndefined());
  expect(await keep.get('p.b')).toBeDefined();
});

test('a store reports a problem while NATS is unreachable, and recovers with it', async () => {
  const keep = await during(RevisionedStore.open(timed, values, options));
  expect(keep.problem).toBeUndefined();
  await pauseProcess(nats.pid);
  await time.eventually(() => expect(keep.problem?.message).toMatch(/is unavailable|cannot be reached/), 500);
  process.kill(nats.pid, 'SIGCONT');
  await time.eventually(() => expect(keep.problem).toBeUndefined(), 500);
});

/** Stores values until the store is full; returns their number. */
async function fill(keep: RevisionedStore, value: Buffer): Promise<number> {
  for (let i = 0; ; i++) {
    const refused = await keep.put(`p.fill-${i}`, value, 0).catch((error: unknown) => error);
    if (refused instanceof StoreFullError) return i;
    if (refused instanceof Error) throw refused;
  }
}

test('a full store refuses at once, loses nothing, and accepts values again once there is room', async () => {
  await makeStreams(bus, valueStreams(values, { ...options, replicas: 1, maxBytes: 3_000_000 }));
  const keep = await RevisionedStore.open(bus, values, options);
  const checked = await during(RevisionedStore.open(timed, values, options));
  const small = Buffer.alloc(50_000, 'ab');
  const count = await fill(keep, small);
  expect(count).toBeGreaterThan(50);
  await expect(keep.put('p.large', Buffer.alloc(2_000_000))).rejects.toThrow(StoreFullError);
  await time.eventually(() => expect(checked.problem).toBeInstanceOf(StoreFullError), 500);
  for (let i = 0; i < count; i++) expect((await keep.get(`p.fill-${i}`))?.value.equals(small)).toBe(true);
  // A removal that is repeated, since its answer was late, finds nothing to remove.
  for (let i = 0; i < 10; i++) await keep.remove(`p.fill-${i}`);
  expect(await keep.get('p.fill-9')).toBeUndefined();
  await time.eventually(() => expect(checked.problem).toBeUndefined(), 500);
  await keep.put('p.more', small);
});

test('a large value that is rewritten many times uses the space of one', async () => {
  await makeStreams(bus, valueStreams(values, { ...options, replicas: 1, maxBytes: 6_000_000 }));
  const keep = await RevisionedStore.open(bus, values, options);
  let revision = 0;
  for (let i = 0; i < 5; i++) {
    const value = Buffer.alloc(1_500_000, String(i));
    await vi.waitFor(async () => {
      revision = await keep.put('p.large', value, revision);
    });
    const kept = await keep.get('p.large');
    expect(kept?.value.equals(value)).toBe(true);
    expect(kept?.revision).toBe(revision);
  }
  await keep.put('p.large', Buffer.from('small'), revision);
  expect((await keep.get('p.large'))?.value.toString()).toBe('small');
  await keep.put('p.other', Buffer.alloc(5_000_000));
});

test('a log without room reports an error, and ends where it broke', async () => {
  await makeStreams(bus, logStreams(logs, { ...options, replicas: 1, maxBytes: 2_000_000 }));
  const log = await EventLog.open(bus, logs, options);
  const checked = await during(EventLog.open(timed, logs, options));
  const writer = log.writer('p.a');
  for (let i = 0; i < 30; i++) {
    writer.add('x'.repeat(100_000));
    await writer.flush();
  }
  expect(writer.broken).toBeInstanceOf(StoreFullError);
  expect((await Array.fromAsync(log.read('p.a'))).length).toBeGreaterThan(15);
  await time.eventually(() => expect(checked.problem).toBeInstanceOf(StoreFullError), 500);
});

test('a full queue refuses new jobs, and loses none', async () => {
  await makeStreams(bus, [queueStream(jobs, { replicas: 1, maxBytes: 20_000 })]);
  const ran: string[] = [];
  const open = () =>
    new WorkQueue(bus, jobs, {
      together: 4,
      async run({ text }) {
        ran.push(text);
        return 'done';
      },
      failed: () => {},
    });
  const first = open();
  first.start();
  await vi.waitFor(() => first.add('first', 'job-first', 'p'));
  await vi.waitFor(() => expect(ran).toEqual(['first']));
  await first.close();
  const taken: string[] = [];
  const add = async () => {
    for (let i = 0; i < 500; i++) {
      await first.add(`${i}`, `job-${i}`, `p${i % 3}`);
      taken.push(`${i}`);
    }
  };
  await expect(add()).rejects.toThrow(StoreFullError);
  expect(taken.length).toBeGreaterThan(50);
  const second = open();
  second.start();
  await vi.waitFor(() => expect(ran).toEqual(expect.arrayContaining(taken)));
  await second.close();
});

async function readAll(log: EventLog, key: string): Promise<string> {
  let text = '';
  for await (const { bytes } of log.follow(key, { signal: new AbortController().signal })) text += bytes;
  return text;
}

test('a log is read completely by early and late readers, until it is removed', async () => {
  const log = await EventLog.open(bus, logs, options);
  const writer = log.writer('p.a');
  const early = readAll(log, 'p.a');
  let wrote = '';
  for (let i = 0; i < 400; i++) {
    writer.add(`${i} `);
    wrote += `${i} `;
    if (i % 10 === 0) await endOfTurn();
  }
  const large = 'x'.repeat(1_300_000);
  writer.add(large, true);
  await writer.flush();
  expect(writer.broken).toBeUndefined();
  expect((await early) === wrote + large).toBe(true);
  expect((await readAll(log, 'p.a')) === wrote + large).toBe(true);
  expect((await log.first('p.a'))?.bytes.toString()).toMatch(/^0 /);
  expect(await log.last('p.a')).toMatchObject({ end: true });
  await log.remove('p.a');
  expect(await Array.fromAsync(log.read('p.a'))).toEqual([]);
});

test('a new piece of a log reaches a reader at once', async () => {
  const log = await during(EventLog.open(timed, logs, options));
  const writer = (await EventLog.open(bus, logs, options)).writer('p.a');
  let read = '';
  void (async () => {
    for await (const { bytes } of log.follow('p.a', { signal: new AbortController().signal })) read += bytes;
  })();
  writer.add('1');
  await time.eventually(() => expect(read).toBe('1'), 20);
  for (const piece of ['2', '3', '4']) {
    const before = time.clock.monotonic();
    writer.add(piece, piece === '4');
    await time.eventually(() => expect(read.at(-1)).toBe(piece), 2);
    // Without a notification it looks for news once a second.
    expect(time.clock.monotonic() - before).toBeLessThan(500);
  }
  expect(read).toBe('1234');
});

test('one of two writers of a log fails', async () => {
  const log = await EventLog.open(bus, logs, options);
  const first = log.writer('p.a');
  first.add('1');
  await first.flush();
  const late = log.writer('p.a');
  late.add('2');
  await late.flush();
  expect(late.broken).toBeDefined();
  expect((await Array.fromAsync(log.read('p.a'))).map(({ bytes }) => bytes.toString())).toEqual(['1']);
});

test('a job whose runner is lost is run by another process', async () => {
  // The server measures the runner's silence, in production for some seconds.
  const consumer = { durable_name: jobs.consumer, ...jobQueue.consumer, ack_wait: nanos(1_000) };
  await makeStreams(bus, [{ ...jobQueue, consumer }]);
  const ran: string[] = [];
  const start = (name: string, on: Bus, run: () => Promise<'done'>) => {
    const work = new WorkQueue(on, jobs, {
      together: 4,
      async run({ text }) {
        ran.push(`${name} ${text}`);
        return run();
      },
      failed: () => {},
    });
    work.start();
    return work;
  };
  const lost = await connectBus({ url: nats.url, name: 'lost' });
  const first = start('first', lost, () => new Promise(() => {}));
  await vi.waitFor(() => first.add('job', 'job-1', 'p'));
  await vi.waitFor(() => expect(ran).toContain('first job'));
  await lost.calls.close();
  await lost.state.close();
  const second = start('second', bus, async () => 'done');
  await vi.waitFor(() => expect(ran.at(-1)).toBe('second job'));
  await second.close();
});

test('a job returned to the queue is run again', async () => {
  const attempts: number[] = [];
  const queue = new WorkQueue(bus, jobs, {
    together: 4,
    run: async ({ attempt }) => {
      attempts.push(attempt);
      return attempt < 2 ? 'again' : 'done';
    },
    failed: () => {},
  });
  queue.start();
  await queue.add('job', 'job-1', 'p');
  await queue.add('job', 'job-1', 'p');
  await vi.waitFor(() => expect(attempts).toEqual([1, 2]));
  await queue.close();
});
