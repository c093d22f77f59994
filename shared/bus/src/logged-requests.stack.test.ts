import type { LoggedRequest } from '@model-gateway/canonical';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bus, connectBus, streamManager } from './connection.ts';
import { LoggedRequestWriter, maxWaitingLogBytes, readLoggedRequests } from './logged-requests.ts';
import { loggedStream } from './streams.ts';
import { type NatsServer, pauseProcess, startNats, urlFor } from './testing/nats-server.ts';

const patience = { timeout: 60_000 };

let nats: NatsServer;
let control: Bus;
let ingress: Bus;
let reading: AbortController;
let stored: LoggedRequest[];
let isDown: boolean;

beforeEach(async () => {
  nats = await startNats();
  control = await connectBus({ url: urlFor(nats.url, 'control'), name: 'control' });
  ingress = await connectBus({ url: urlFor(nats.url, 'ingress-chat'), name: 'ingress-chat' });
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
  await Promise.all([control.close(), ingress.close()]);
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
  await vi.waitFor(async () => expect(await inStream()).toBe(0), patience);
  isDown = true;
  const writer = new LoggedRequestWriter(ingress);
  for (const n of numbers(30)) writer.add(logged(n));
  // A writer that closes drops those that wait for long.
  await vi.waitFor(() => expect(writer.waitingBytes).toBe(0), patience);
  await writer.close();
  expect(writer.dropped).toBe(0);
  await vi.waitFor(async () => expect(await inStream()).toBeGreaterThanOrEqual(30), patience);
  expect(ids()).toEqual([]);
  isDown = false;
  await vi.waitFor(() => expect(ids()).toEqual(numbers(30)), patience);
  await vi.waitFor(async () => expect(await inStream()).toBe(0), patience);
});

test('they wait while NATS is away, up to a bound, and no caller waits', async () => {
  await vi.waitFor(async () => expect(await inStream()).toBe(0), patience);
  const waiting: unknown[] = [];
  const writer = new LoggedRequestWriter(ingress, { onWaiting: error => waiting.push(error) });
  await pauseProcess(nats.pid);
  const text = 'x'.repeat(250_000);
  const most = Math.floor(maxWaitingLogBytes / 500_000);
  const began = performance.now();
  for (const n of numbers(most + 10)) writer.add(logged(n, text));
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(writer.dropped).toBeGreaterThanOrEqual(10);
  expect(writer.dropped).toBeLessThan(20);
  await vi.waitFor(() => expect(waiting).toHaveLength(1), patience);
  process.kill(nats.pid, 'SIGCONT');
  await vi.waitFor(() => expect(ids()).toHaveLength(most + 10 - writer.dropped), patience);
});

test('what waits when the process ends is dropped and counted', async () => {
  await pauseProcess(nats.pid);
  const writer = new LoggedRequestWriter(ingress);
  for (const n of numbers(20)) writer.add(logged(n));
  await writer.close(100);
  expect(writer.dropped).toBe(20);
  writer.add(logged(20));
  expect(writer.dropped).toBe(21);
  process.kill(nats.pid, 'SIGCONT');
});

test('texts that do not fit into a message are cut', async () => {
  const writer = new LoggedRequestWriter(ingress);
  writer.add(logged(0, '\u0001'.repeat(200_000)));
  await vi.waitFor(() => expect(ids()).toEqual([0]), patience);
  const { request, response } = stored[0] as LoggedRequest;
  expect([request.cut, response.cut, request.bytes]).toEqual([true, true, 200_000]);
  expect(request.text.length).toBe(50_000);
});
