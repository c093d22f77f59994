import type { LoggedRequest } from '@model-gateway/canonical';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bus, streamManager } from './connection.ts';
import { LoggedRequestWriter, maxWaitingLogBytes, readLoggedRequests } from './logged-requests.ts';
import { loggedStream } from './streams.ts';
import { type OwnNatsServer, pauseProcess, startOwnNats, urlFor } from './testing/nats-server.ts';
import { PassingTime } from './testing/passing-time.ts';

let nats: OwnNatsServer;
let time: PassingTime;
let control: Bus;
let ingress: Bus;
let reading: AbortController;
let stored: LoggedRequest[];
let isDown: boolean;

beforeEach(async () => {
  nats = await startOwnNats();
  time = new PassingTime();
  control = await time.connect(urlFor(nats.url, 'control'), 'control');
  ingress = await time.connect(urlFor(nats.url, 'ingress-chat'), 'ingress-chat');
  reading = new AbortController();
  stored = [];
  isDown = false;
  const keep = async (records: unknown[]) => {
    if (isDown) throw new Error('the database is away');
    stored.push(...(records as LoggedRequest[]));
  };
  void readLoggedRequests(control, { keep, failed: () => {} }, { signal: reading.signal });
});
afterEach(async () => {
  reading.abort();
  await time.close();
  await nats.stop();
});

function logged(n: number, text = 'Hello'): LoggedRequest {
  return {
    ...{ id: String(n), requestId: `req_${n}`, at: 1, ms: 1, format: 'chat', model: 'm', tokenId: 't' },
    ...{ project: 'p', status: 200, outcome: 'answered', retentionDays: 1 },
    request: { text, bytes: Buffer.byteLength(text), cut: false },
    response: { text, bytes: Buffer.byteLength(text), cut: false },
  };
}

/** Those that were stored, each once: one whose acknowledgement is late is sent again. */
const ids = () => [...new Set(stored.map(({ id }) => Number(id)))].toSorted((a, b) => a - b);
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
async function inStream(): Promise<number | undefined> {
  const manager = await streamManager(control);
  return (await manager.streams.info(loggedStream).catch(() => undefined))?.state.messages;
}

test('logged requests leave NATS once they are stored, and stay there until then', async () => {
  await time.eventually(async () => expect(await inStream()).toBe(0));
  isDown = true;
  const writer = new LoggedRequestWriter(ingress);
  for (const n of numbers(30)) writer.add(logged(n));
  await time.eventually(() => expect(writer.waitingBytes).toBe(0));
  await writer.close();
  expect(writer.dropped).toBe(0);
  await time.eventually(async () => expect(await inStream()).toBeGreaterThanOrEqual(30));
  expect(ids()).toEqual([]);
  isDown = false;
  await time.eventually(() => expect(ids()).toEqual(numbers(30)));
  await time.eventually(async () => expect(await inStream()).toBe(0));
});

test('they wait while NATS is away, up to a bound', async () => {
  await time.eventually(async () => expect(await inStream()).toBe(0));
  const waiting: unknown[] = [];
  const writer = new LoggedRequestWriter(ingress, { onWaiting: error => waiting.push(error) });
  await pauseProcess(nats.pid);
  const text = 'x'.repeat(250_000);
  const most = Math.floor(maxWaitingLogBytes / 500_000);
  for (const n of numbers(most + 10)) writer.add(logged(n, text));
  expect(writer.dropped).toBeGreaterThanOrEqual(10);
  expect(writer.dropped).toBeLessThan(20);
  await time.eventually(() => expect(waiting).toHaveLength(1));
  process.kill(nats.pid, 'SIGCONT');
  await time.eventually(() => expect(ids()).toHaveLength(most + 10 - writer.dropped));
});

test('what waits when the process ends is dropped and counted', async () => {
  await pauseProcess(nats.pid);
  const writer = new LoggedRequestWriter(ingress);
  for (const n of numbers(20)) writer.add(logged(n));
  let isClosed = false;
  void writer.close(100).then(() => (isClosed = true));
  await time.eventually(() => expect(isClosed).toBe(true));
  expect(writer.dropped).toBe(20);
  writer.add(logged(20));
  expect(writer.dropped).toBe(21);
  process.kill(nats.pid, 'SIGCONT');
});

test('texts that do not fit into a message are cut', async () => {
  const writer = new LoggedRequestWriter(ingress);
  writer.add(logged(0, '\u0001'.repeat(200_000)));
  await time.eventually(() => expect(ids()).toEqual([0]));
  const { request, response } = stored[0] as LoggedRequest;
  expect([request.cut, response.cut, request.bytes]).toEqual([true, true, 200_000]);
  expect(request.text.length).toBe(50_000);
});
