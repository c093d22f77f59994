import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cleanUp, Launched, type ReadyFile, untilGone } from './launched.ts';

let gateway: Launched;
let ready: ReadyFile;
/** macOS does not spread connections. */
const hasSeveralFronts = process.platform !== 'darwin';
beforeEach(({ skip }) => {
  if (!hasSeveralFronts) skip('this system does not spread connections over fronts');
});
beforeAll(async () => {
  if (!hasSeveralFronts) return;
  gateway = new Launched({ env: { GATEWAY_WORKERS: '2', GATEWAY_FRONTS: '2', GATEWAY_DRAIN: '60s' } });
  ready = await gateway.ready();
});
afterAll(cleanUp);

/** Streams for twenty seconds. */
const slowModel = 'sim-t200-i100ms';
const fronts = ['front', 'front-2'];
const workers = ['worker', 'worker-2'];

const processOf = (name: string) =>
  gateway.read().processes.find(process => process.name === name) as ReadyFile['processes'][number];

/** Sends a request on a new connection; rejects if the response is invalid or cut. */
async function ask(model: string, stream = false): Promise<string> {
  const asking = request(`${ready.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' },
  });
  asking.end(JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'What are you?' }] }));
  const [answer] = await once(asking, 'response');
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${body}`);
  if (stream && !/data: \[DONE\]\s*$/.test(body)) throw new Error(`a stream ends with ${body.slice(-200)}`);
  return body;
}

/** A metric of several processes, each summed over its labels. */
function measured(metric: string, names: readonly string[]): Promise<number[]> {
  return Promise.all(
    names.map(async name => {
      const url = processOf(name).healthUrl.replace('/healthz', '/metrics');
      const values = (await (await fetch(url)).text()).matchAll(
        new RegExp(`^${metric}(?:{.*})? (\\d+)$`, 'gm'),
      );
      return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
    }),
  );
}

/** The number of requests that a front has answered since its start. */
const answeredBy = async (front: string) => (await measured('gateway_request_seconds_count', [front]))[0];

/** Opens streams until each front and each worker serves some; returns the number for each front. */
async function openStreams() {
  const streams: Promise<PromiseSettledResult<string>[]>[] = [];
  const late = Date.now() + 15_000;
  for (;;) {
    streams.push(Promise.allSettled(Array.from({ length: 10 }, () => ask(slowModel, true))));
    let atFronts: number[] = [];
    const sum = async () => {
      atFronts = await measured('gateway_requests_running', fronts);
      return atFronts.reduce((a, b) => a + b);
    };
    await expect.poll(sum, { interval: 20 }).toBe(10 * streams.length);
    const serving = [...atFronts, ...(await measured('gateway_calls_running', workers))];
    if (!serving.includes(0)) return { streams: Promise.all(streams).then(all => all.flat()), atFronts };
    if (Date.now() > late) throw new Error(`some serve nothing: ${serving}`);
  }
}

/** Parts the errors of streams. On a busy machine, a worker that does not run for three seconds counts as lost, and ends its streams. */
function failuresOf(results: readonly PromiseSettledResult<string>[]) {
  const errors = results.filter(result => result.status === 'rejected').map(({ reason }) => String(reason));
  const isLost = (error: string) => /worker was lost/.test(error);
  return { cut: errors.filter(error => !isLost(error)), lost: errors.filter(isLost) };
}

/** Clients that send one request after another until they are stopped. */
function askSteadily(clients: number) {
  const asked: { begun: number; problem: unknown }[] = [];
  let going = true;
  const client = async () => {
    while (going) {
      const begun = performance.now();
      const problem = await ask('sim-fast').then(
        () => null,
        error => error,
      );
      asked.push({ begun, problem });
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, client));
  return {
    /** The number of requests sent since a moment that were answered, or that failed. */
    since: (moment: number) => asked.filter(({ begun }) => begun > moment).length,
    async stop() {
      going = false;
      await ended;
      return asked;
    },
  };
}

/** Kills a process under load, until another replaces it; no request sent after the kill may fail. */
async function killUnderLoad(name: string): Promise<void> {
  const clients = 4;
  const load = askSteadily(clients);
  const { pid } = processOf(name);
  process.kill(pid, 'SIGKILL');
  await untilGone([pid]);
  const gone = performance.now();
  await expect.poll(() => processOf(name).pid, { timeout: 30_000 }).not.toBe(pid);
  // The other process serves at once, however soon this one is replaced.
  await expect.poll(() => load.since(gone)).toBeGreaterThan(clients);
  if (fronts.includes(name)) await expect.poll(() => answeredBy(name)).toBeGreaterThan(4);
  const asked = await load.stop();
  const failed = asked.filter(({ problem }) => problem !== null);
  expect(failed.filter(({ begun }) => begun > gone)).toEqual([]);
  expect(failed.length).toBeLessThanOrEqual(clients);
}

test('connections are spread over fronts, even if all open at once', async () => {
  const { hostname, port } = new URL(ready.baseUrl);
  const sockets = Array.from({ length: 100 }, () => connect(Number(port), hostname));
  const open = () => measured('gateway_connections', fronts);
  await expect.poll(async () => (await open()).reduce((a, b) => a + b)).toBeGreaterThanOrEqual(100);
  // Chance gives a front fewer than 25 once in two million times.
  for (const atFront of await open()) expect(atFront).toBeGreaterThanOrEqual(25);
  for (const socket of sockets) socket.destroy();
});

test('a killed front ends only its own streams, and is replaced', async () => {
  const { streams, atFronts } = await openStreams();
  await killUnderLoad('front');
  const { cut, lost } = failuresOf(await streams);
  expect(cut.length).toBeLessThanOrEqual(atFronts[0] as number);
  expect(cut.length + lost.length).toBeGreaterThanOrEqual(atFronts[0] as number);
  expect(cut.length).toBeGreaterThan(0);
});

test('a killed worker fails no later request, and is replaced; then all workers serve', async () => {
  await killUnderLoad('worker-2');
  await (await openStreams()).streams;
});

async function connecting(): Promise<string> {
  const { hostname, port } = new URL(ready.baseUrl);
  const socket = connect(Number(port), hostname);
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once('connect', () => resolve('connected'));
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  return promise.finally(() => socket.destroy());
}

test('a stopping launcher lets the streams of every front end, refuses connections, and leaves no process', async () => {
  const { streams } = await openStreams();
  const pids = gateway.read().processes.map(({ pid }) => pid);
  let ended = false;
  streams.then(() => {
    ended = true;
  });
  gateway.signal('SIGTERM', 'process');
  await expect.poll(connecting).toBe('ECONNREFUSED');
  expect(ended).toBe(false);
  const results = await streams;
  const { cut, lost } = failuresOf(results);
  expect(cut).toEqual([]);
  // A worker that the launcher stopped too early would lose all of them.
  expect(lost.length).toBeLessThan(results.length);
  expect(await gateway.exit()).toBe(0);
  await untilGone(pids);
});
