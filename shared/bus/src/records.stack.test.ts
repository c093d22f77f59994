import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageRecord } from '@model-gateway/canonical';
import { jetstreamManager } from '@nats-io/jetstream';
import { errors, nanos } from 'nats';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bus, connectBus } from './connection.ts';
import { maxBatchBytes, readUsage } from './records.ts';
import { type NatsServer, pauseProcess, startNats } from './testing/nats-server.ts';
import { maxUsageMessageBytes, UsageWriter } from './usage-writer.ts';

let nats: NatsServer;
let bus: Bus;
let reading: AbortController;
let storedRecords: string[];
/** The bytes of the records in each batch. */
let batches: number[];
let down: boolean;

beforeEach(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
  reading = new AbortController();
  storedRecords = [];
  batches = [];
  down = false;
});
afterEach(async () => {
  reading.abort();
  await bus.close();
  await nats.stop();
});

function record(id: string): UsageRecord {
  return {
    id,
    requestId: 'req_1',
    at: 1,
    ms: 2,
    operation: 'generate',
    format: 'chat',
    stream: false,
    model: 'm',
    provider: 'p',
    upstreamModel: 'u',
    tokenId: 't',
    project: 'default',
    outcome: 'answered',
    charged: true,
    usage: null,
  };
}

function read() {
  const reader = {
    async keep(batch: Iterable<unknown>) {
      if (down) throw new Error('the database is away');
      const records = [...batch];
      batches.push(JSON.stringify(records).length);
      storedRecords.push(
        ...records.map(record => (typeof record === 'string' ? record : (record as UsageRecord).id)),
      );
    },
    failed: vi.fn(),
    behind: vi.fn(),
  };
  void readUsage(bus, reader, { signal: reading.signal });
  return reader;
}

/** Waits until JetStream has all records of a writer, and closes it: a writer that closes drops those that wait for long. */
async function closeWritten(writer: UsageWriter): Promise<void> {
  await vi.waitFor(() => expect(writer.waiting).toBe(0), { timeout: 60_000 });
  await writer.close();
  expect(writer.dropped).toBe(0);
}

const ids = Array.from({ length: 1_050 }, (_, i) => String(i));

test('records are read in order, including those written before the first reader', async () => {
  const writer = new UsageWriter(bus);
  for (const id of ids) writer.add(record(id));
  await new Promise(resolve => setTimeout(resolve, 200));
  read();
  await vi.waitFor(() => expect(storedRecords).toEqual(ids));
  writer.add(record('late'));
  await vi.waitFor(() => expect(storedRecords.at(-1)).toBe('late'));
  await vi.waitFor(() => expect(writer.waiting).toBe(0));
});

test('waiting messages are stored together, up to the size of a batch', async () => {
  const writer = new UsageWriter(bus);
  writer.add(record('first'));
  read();
  await vi.waitFor(() => expect(storedRecords).toEqual(['first']));
  reading.abort();
  reading = new AbortController();
  batches = [];
  for (const id of ids) writer.add({ ...record(id), model: 'm'.repeat(1_000) });
  await vi.waitFor(() => expect(writer.waiting).toBe(0));
  read();
  await vi.waitFor(() => expect(storedRecords).toHaveLength(1 + ids.length));
  expect(Math.max(...batches)).toBeLessThan(maxBatchBytes + maxUsageMessageBytes);
  expect(Math.min(...batches.slice(0, -1))).toBeGreaterThanOrEqual(maxBatchBytes);
});

test('records wait for their reader and survive a kill of NATS', async () => {
  const writer = new UsageWriter(bus);
  const reader = read();
  down = true;
  for (const id of ids) writer.add(record(id));
  await vi.waitFor(() => expect(reader.failed).toHaveBeenCalled());
  await closeWritten(writer);
  await nats.restart();
  down = false;
  await vi.waitFor(() => expect(new Set(storedRecords).size).toBe(ids.length), { timeout: 60_000 });
});

test('records wait in the process while NATS is unreachable, up to a limit', async () => {
  read();
  const writer = new UsageWriter(bus);
  writer.add(record('first'));
  await vi.waitFor(() => expect(storedRecords).toEqual(['first']));
  await pauseProcess(nats.pid);
  for (let i = 0; i < 100_010; i++) writer.add(record(`x${i}`));
  expect([writer.waiting, writer.dropped]).toEqual([100_000, 10]);
  process.kill(nats.pid, 'SIGCONT');
  await vi.waitFor(() => expect(writer.waiting).toBe(0), { timeout: 100_000 });
});

test('a consumer that another version configured differently keeps its position, and its records are read', async () => {
  const manager = await jetstreamManager(bus.state, { timeout: 60_000 });
  await manager.streams.add({ name: 'USAGE', subjects: ['gateway.v1.usage'], storage: 'file' });
  await manager.consumers.add('USAGE', {
    durable_name: 'ledger',
    ack_policy: 'explicit',
    deliver_policy: 'all',
    ack_wait: nanos(60_000),
    max_ack_pending: 1,
  });
  const writer = new UsageWriter(bus);
  writer.add(record('first'));
  await closeWritten(writer);
  const { failed } = read();
  await vi.waitFor(() => expect(storedRecords).toEqual(['first']));
  // A busy server may answer too late.
  const failures = failed.mock.calls.filter(([error]) => !(error instanceof errors.TimeoutError));
  expect(failures).toEqual([]);
  const { config } = await manager.consumers.info('USAGE', 'ledger');
  expect(config).toMatchObject({ ack_wait: nanos(10_000), max_ack_pending: 1_024 });
});

test('an unreadable message is passed on as text', async () => {
  read();
  await vi.waitFor(async () => bus.state.request('gateway.v1.usage', 'no JSON', { timeout: 14_000 }));
  await bus.state.request('gateway.v1.usage', '{"no":"array"}', { timeout: 14_000 });
  await vi.waitFor(() => expect(storedRecords).toEqual(['no JSON', '{"no":"array"}']));
});

test('the reader is told the age of its backlog, and that it has caught up', async () => {
  const { behind } = read();
  down = true;
  const writer = new UsageWriter(bus);
  const before = Date.now();
  writer.add(record('first'));
  await closeWritten(writer);
  const after = Date.now();
  await sleep(1_000);
  writer.add(record('second'));
  await vi.waitFor(() => expect(behind).toHaveBeenCalledWith(expect.any(Number)));
  const since = behind.mock.lastCall?.[0] as number;
  expect(since).toBeGreaterThanOrEqual(before);
  expect(since).toBeLessThanOrEqual(after);
  down = false;
  await vi.waitFor(() => expect(behind).toHaveBeenLastCalledWith(undefined));
});
