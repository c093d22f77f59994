import type { UsageRecord } from '@model-gateway/canonical';
import { jetstreamManager } from '@nats-io/jetstream';
import { errors, nanos } from 'nats';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bus, streamManager } from './connection.ts';
import { maxBatchBytes, readUsage } from './records.ts';
import { ledgerConsumer, usageStream } from './streams.ts';
import { type OwnNatsServer, pauseProcess, startOwnNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';
import { maxUsageMessageBytes, UsageWriter } from './usage-writer.ts';

let nats: OwnNatsServer;
let time: PassingTime;
let bus: Bus;
let reading: AbortController;
let storedRecords: string[];
/** The bytes of the records in each batch. */
let batches: number[];
let down: boolean;

beforeEach(async () => {
  nats = await startOwnNats();
  time = new PassingTime();
  bus = await time.connect(nats.url);
  reading = new AbortController();
  storedRecords = [];
  batches = [];
  down = false;
});
afterEach(async () => {
  reading.abort();
  await time.close();
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
  const ended = readUsage(bus, reader, { signal: reading.signal });
  return { ...reader, ended };
}

/** Waits until JetStream has all records of a writer, and closes it: a writer that closes drops those that wait for long. */
async function closeWritten(writer: UsageWriter): Promise<void> {
  await time.eventually(() => expect(writer.waiting).toBe(0));
  await writer.close();
  expect(writer.dropped).toBe(0);
}

const ids = Array.from({ length: 1_050 }, (_, i) => String(i));

test('records are read in order, including those written before the first reader', async () => {
  const writer = new UsageWriter(bus);
  for (const id of ids) writer.add(record(id));
  await time.clock.advance(200);
  read();
  await time.eventually(() => expect(storedRecords).toEqual(ids));
  writer.add(record('late'));
  await time.eventually(() => expect(storedRecords.at(-1)).toBe('late'));
});

test('waiting messages are stored together, up to the size of a batch', async () => {
  const writer = new UsageWriter(bus);
  writer.add(record('first'));
  read();
  await time.eventually(() => expect(storedRecords).toEqual(['first']));
  reading.abort();
  reading = new AbortController();
  batches = [];
  for (const id of ids) writer.add({ ...record(id), model: 'm'.repeat(1_000) });
  await time.eventually(() => expect(writer.waiting).toBe(0));
  read();
  await time.eventually(() => expect(storedRecords).toHaveLength(1 + ids.length));
  expect(Math.max(...batches)).toBeLessThan(maxBatchBytes + maxUsageMessageBytes);
  expect(Math.min(...batches.slice(0, -1))).toBeGreaterThanOrEqual(maxBatchBytes);
});

test('records wait for their reader and survive a kill of NATS', async () => {
  const writer = new UsageWriter(bus);
  const reader = read();
  down = true;
  for (const id of ids) writer.add(record(id));
  await time.eventually(() => expect(reader.failed).toHaveBeenCalled());
  await closeWritten(writer);
  await nats.restart();
  down = false;
  await time.eventually(() => expect(new Set(storedRecords).size).toBe(ids.length));
});

test('records that were not stored when the reader stopped are not acknowledged', async () => {
  const writer = new UsageWriter(bus);
  const { failed, ended } = read();
  down = true;
  writer.add(record('first'));
  await time.eventually(() => expect(failed).toHaveBeenCalled());
  reading.abort();
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  await time.eventually(() => expect(isOver).toBe(true));
  const { ack_floor } = await (await streamManager(bus)).consumers.info(usageStream, ledgerConsumer);
  expect(ack_floor.stream_seq).toBe(0);
});

test('records wait in the process while NATS is unreachable, up to a limit', async () => {
  read();
  const writer = new UsageWriter(bus);
  writer.add(record('first'));
  await time.eventually(() => expect(storedRecords).toEqual(['first']));
  reading.abort();
  await pauseProcess(nats.pid);
  for (let i = 0; i < 100_010; i++) writer.add(record(`x${i}`));
  expect([writer.waiting, writer.dropped]).toEqual([100_000, 10]);
  process.kill(nats.pid, 'SIGCONT');
  await time.eventually(() => expect(writer.waiting).toBe(0));
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
  await time.eventually(() => expect(storedRecords).toEqual(['first']));
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
  await time.eventually(() => expect(storedRecords).toEqual(['no JSON', '{"no":"array"}']));
});

test('the reader is told the age of its backlog, and that it has caught up', async () => {
  const { behind } = read();
  down = true;
  const writer = new UsageWriter(bus);
  for (const id of ['first', 'second']) {
    writer.add(record(id));
    await time.eventually(() => expect(writer.waiting).toBe(0));
  }
  const manager = await streamManager(bus);
  const first = await manager.streams.getMessage(usageStream, { seq: 1 });
  await time.clock.advance(5_000);
  await time.eventually(() => expect(behind).toHaveBeenLastCalledWith(first?.time.getTime()));
  down = false;
  await time.clock.advance(5_000);
  await time.eventually(() => expect(behind).toHaveBeenLastCalledWith(undefined));
});
