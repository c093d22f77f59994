import { noUsage, type UsageRecord } from '@model-gateway/canonical';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bus, streamManager } from './connection.ts';
import { readUsage } from './records.ts';
import { usageStream } from './streams.ts';
import { type OwnNatsServer, pauseProcess, startOwnNats } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';
import { type DroppedUsage, maxWaitingBytes, UsageWriter } from './usage-writer.ts';

let nats: OwnNatsServer;
let time: PassingTime;
let bus: Bus;
let reading: AbortController;
let storedRecords: UsageRecord[];
let dropped: DroppedUsage[];

async function start(maxPayload: string): Promise<UsageWriter> {
  nats = await startOwnNats({ maxPayload });
  bus = await time.connect(nats.url);
  const keep = async (records: Iterable<unknown>) => {
    storedRecords.push(...(records as Iterable<UsageRecord>));
  };
  void readUsage(bus, { keep, failed: () => {} }, { signal: reading.signal });
  return new UsageWriter(bus, { onDropped: each => void dropped.push(each) });
}

beforeEach(() => {
  time = new PassingTime();
  reading = new AbortController();
  storedRecords = [];
  dropped = [];
});
afterEach(async () => {
  reading.abort();
  await time.close();
  await nats.stop();
});

function record(id: number, more: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id: String(id),
    requestId: `req_${id}`,
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
    ...more,
  };
}

const ids = () => storedRecords.map(({ id }) => Number(id));
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
/** Lets time pass until so many records are stored. */
const allKept = (count: number) => time.eventually(() => expect(ids()).toEqual(numbers(count)));

test('many records with long names are sent in messages that the server accepts', async () => {
  const writer = await start('1MB');
  const model = `cap/${'y'.repeat(14_500)}`;
  for (const id of numbers(400)) writer.add(record(id, { model }));
  writer.add(record(400));
  await allKept(401);
  expect(storedRecords[0]?.model).toBe(model);
  expect([writer.waiting, writer.waitingBytes, writer.dropped, writer.shortened]).toEqual([0, 0, 0, 0]);
  const manager = await streamManager(bus);
  const { state } = await manager.streams.info(usageStream);
  expect(state.messages).toBeGreaterThan(400 / 18);
});

test('a record that is too large for a message keeps its counts, and its texts are cut', async () => {
  const writer = await start('1MB');
  const usage = { ...noUsage, input: 7, units: { images: 2 }, raw: { text: 'z'.repeat(100_000) } };
  const tags = { team: 'search'.repeat(30) };
  writer.add(record(0, { usage, tags }));
  writer.add(record(1, { usage, model: `${'x'.repeat(254)}\u{1f600}`.repeat(10_000) }));
  writer.add(record(2));
  await allKept(3);
  const { raw: _, ...counts } = usage;
  expect(storedRecords[0]).toEqual(record(0, { usage: counts, tags }));
  expect(storedRecords[1]).toEqual(record(1, { usage: counts, model: `${'x'.repeat(254)}\ufffd…` }));
  expect([writer.shortened, writer.dropped]).toEqual([2, 0]);
});

test('a server with a small max_payload gets single, shortened records, and none is delayed', async () => {
  const writer = await start('4KB');
  for (const id of numbers(20)) writer.add(record(id, { model: 'y'.repeat(id % 2 ? 10 : 30_000) }));
  await allKept(20);
  expect(storedRecords.map(({ model }) => model.length)).toEqual(numbers(20).map(id => (id % 2 ? 10 : 256)));
  expect([writer.waiting, writer.waitingBytes, writer.shortened, writer.dropped]).toEqual([0, 0, 10, 0]);
});

test('a stream that refuses large messages gets smaller ones; a record that never fits is dropped, counted and reported', async () => {
  const writer = await start('1MB');
  const manager = await streamManager(bus);
  await vi.waitFor(async () => manager.streams.update('USAGE', { max_msg_size: 1_000 }));
  for (const id of numbers(50)) writer.add(record(id));
  // Even with its twelve texts at the shortest cut it is larger than the stream allows.
  const text = '\u0001'.repeat(300);
  writer.add(record(50, { model: text, provider: text, upstreamModel: text, tokenId: text, project: text }));
  writer.add(record(50));
  await allKept(51);
  expect([writer.waiting, writer.dropped]).toEqual([0, 1]);
  expect(dropped).toMatchObject([{ records: 1, example: expect.stringContaining('req_50') }]);
});

test('records that wait while NATS is unreachable are limited in bytes, and dropped ones are reported together', async () => {
  const writer = await start('1MB');
  writer.add(record(0));
  await allKept(1);
  await pauseProcess(nats.pid);
  const model = 'y'.repeat(60_000);
  const { length } = JSON.stringify(record(1000, { model }));
  const fit = Math.floor(maxWaitingBytes / length);
  for (let id = 1_000; id < 1_010 + fit; id++) writer.add(record(id, { model }));
  expect([writer.waiting, writer.waitingBytes, writer.dropped]).toEqual([fit, fit * length, 10]);
  expect(dropped).toEqual([{ records: 1, reason: expect.stringContaining('wait'), example: undefined }]);
  await time.clock.advance(150);
  expect(writer.waitingMs).toBe(150);
  let isClosed = false;
  void writer.close(100).then(() => (isClosed = true));
  await time.eventually(() => expect(isClosed).toBe(true));
  expect([writer.waiting, writer.waitingBytes, writer.dropped]).toEqual([0, 0, 10 + fit]);
  expect(dropped.reduce((sum, { records }) => sum + records, 0)).toBe(10 + fit);
  process.kill(nats.pid, 'SIGCONT');
});
