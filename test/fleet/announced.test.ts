import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatAnswer } from './chat-answer.ts';
import { ask } from './clients.ts';
import { Fleet, type FleetProcess, requestsRunning } from './fleet.ts';
import { entriesOf } from './ledger.ts';

const questions = 40;
const rounds = 2;
const mostRounds = 8;
/** A worker that is stopped for longer may count as lost, so that its requests do not wait for it; in milliseconds. */
const stoppedMs = 1_500;
/** The ledger gets the attempts in several batches. */
const patient = { timeout: 60_000 };

/** An upstream that counts its requests as soon as they arrive, before it reads them. */
let upstream: Server;
let asked = 0;
let onAsked: () => void = () => {};
let fleet: Fleet;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    onAsked();
    asked++;
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(chatAnswer));
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  const catalog = () => `providers:
  - { name: up, kind: openai-compatible, baseUrl: "http://127.0.0.1:${port}/v1" }
models:
  - { name: m, targets: [ { provider: up, model: m } ] }
`;
  fleet = await Fleet.start({ catalog, env: { GATEWAY_QUEUE_MS: '45000' } });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  upstream?.close();
});

/** Sends many concurrent requests; returns their ids once all are answered. */
async function askMany({ url }: FleetProcess): Promise<string[]> {
  const responses = await Promise.all(
    Array.from({ length: questions }, () => ask(url, fleet.token, { model: 'm', format: 'chat' })),
  );
  await Promise.all(responses.map(response => response.text()));
  return responses.map(({ headers }) => headers.get('x-request-id') ?? '');
}

/** Kills a worker at its first request to the upstream. `isShort`: its requests waited for it until then. */
async function killAtFirst(worker: FleetProcess, front: FleetProcess) {
  asked = 0;
  onAsked = () => {
    onAsked = () => {};
    worker.signal('SIGKILL');
  };
  // All requests wait for the worker, which then reads them at once.
  worker.signal('SIGSTOP');
  const stoppedAt = performance.now();
  const answers = askMany(front);
  await expect.poll(() => requestsRunning(front), { interval: 20 }).toBe(questions);
  worker.signal('SIGCONT');
  const isShort = performance.now() - stoppedAt < stoppedMs;
  if (isShort) await expect.poll(() => worker.running, { interval: 5 }).toBe(false);
  else await worker.kill();
  await fleet.startWorker();
  return { ids: await answers, isShort };
}

test('every request that an upstream received is in the ledger, however soon its worker is killed', async () => {
  const [front] = fleet.fronts as [FleetProcess];
  let good = 0;
  for (let round = 0; good < rounds; round++) {
    expect(round, 'the worker was stopped for too long in most rounds').toBeLessThan(mostRounds);
    const worker = fleet.workers.at(-1) as FleetProcess;
    // Opens the connections to the upstream, so that requests are sent without delay.
    await askMany(front);
    const { ids, isShort } = await killAtFirst(worker, front);
    if (!isShort) continue;
    good++;
    const entries = () => entriesOf(fleet, ids);
    await expect.poll(async () => (await entries()).length, patient).toBeGreaterThanOrEqual(asked);
    // The new worker answers each of them.
    const charged = async () =>
      (await entries()).filter(entry => entry.charged).map(entry => entry.requestId);
    await expect.poll(async () => (await charged()).toSorted(), patient).toEqual(ids.toSorted());
  }
});
