import { setTimeout as sleep } from 'node:timers/promises';
import { pauseProcess } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { errorOf } from './clients.ts';
import { Fleet, type FleetProcess, requestsRunning, untilReady } from './fleet.ts';
import { Asked, busiest, callsOf, everyQuestion, simulated } from './questions.ts';
import { ResponsesClient } from './responses-client.ts';

/** The longest time for which a process may stand still. */
const pauseMs = 15_000;

let fleet: Fleet;
let front: FleetProcess;
beforeAll(async () => {
  fleet = await Fleet.start({ workers: 2, fronts: 2 });
  front = fleet.fronts[0] as FleetProcess;
});
afterAll(() => fleet?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await expect.poll(async () => (await fleet.stats()).streams).toBe(0);
});

/** Streams that go on for longer than the pause, in each format. */
async function startStreams(): Promise<Asked[]> {
  const questions = [1, 2].flatMap(() => everyQuestion('sim-t1200-i20ms', [true]));
  const streams = questions.map(question => new Asked(front.url, fleet.token, question));
  await expect.poll(() => streams.every(({ received }) => received.length > 500)).toBe(true);
  return streams;
}

/** Stops a process for 15 s, and meanwhile does something. */
async function paused(process: FleetProcess, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
  await pauseProcess(process.pid);
  try {
    await Promise.all([sleep(pauseMs), meanwhile()]);
  } finally {
    process.signal('SIGCONT');
  }
}

/** Checks that the answers are whole. */
async function expectWhole(asked: readonly Asked[]): Promise<void> {
  const wanted = await Promise.all(asked.map(({ question }) => simulated(fleet, question)));
  expect(await Promise.all(asked.map(each => each.text()))).toEqual(wanted);
}

test('a worker that is paused for 15 s loses no stream, and others serve what comes meanwhile', async () => {
  const streams = await startStreams();
  const { worker, serves } = await busiest(fleet.workers, streams.length);
  expect(serves).toBeGreaterThan(0);
  const others: Asked[] = [];
  await paused(worker, async () => {
    // It is silent then.
    await sleep(4_500);
    for (const other of fleet.fronts)
      for (const question of everyQuestion('sim-t20'))
        others.push(new Asked(other.url, fleet.token, question));
    await expectWhole(others);
  });
  await expectWhole(streams);
  const after = everyQuestion('sim-t20').map(question => new Asked(front.url, fleet.token, question));
  await expectWhole(after);
});

test('the streams of an ingress that is paused for 15 s go on afterwards', async () => {
  const streams = await startStreams();
  await paused(front, async () => {
    const other = fleet.fronts[1] as FleetProcess;
    await expectWhole(everyQuestion('sim-t20').map(question => new Asked(other.url, fleet.token, question)));
  });
  await expectWhole(streams);
});

test('a background response whose ingress is paused for 15 s is asked for once', async () => {
  const client = new ResponsesClient(() => (fleet.fronts[1] as FleetProcess).url, fleet.token);
  const { requests } = await fleet.stats();
  const { id } = await client.create({ model: 'sim-t1200-i20ms', input: 'Hello', background: true });
  await expect.poll(async () => (await fleet.stats()).streams).toBe(1);
  const running = await Promise.all(fleet.fronts.map(each => requestsRunning(each)));
  await paused(fleet.fronts[running.indexOf(1)] as FleetProcess);
  expect(await client.untilOver(id)).toMatchObject({ status: 'completed' });
  expect((await fleet.stats()).requests).toBe(requests + 1);
});

test('all processes that are paused for 15 s at once, NATS too, lose no stream', async () => {
  const streams = await startStreams();
  const all = [...fleet.workers, ...fleet.fronts, fleet.control];
  await Promise.all([...all.map(({ pid }) => pauseProcess(pid)), pauseProcess(fleet.nats.pid)]);
  await sleep(pauseMs);
  process.kill(fleet.nats.pid, 'SIGCONT');
  for (const each of all) each.signal('SIGCONT');
  await expectWhole(streams);
});

test('while NATS is paused, requests are told that the bus cannot be reached, and streams go on afterwards', async () => {
  const streams = await startStreams();
  const questions = everyQuestion('sim-t3', [false]);
  const limits = { requestsPerMinute: questions.length, tokensPerMinute: 100_000 };
  const { token } = await fleet.createToken({ limits });
  await pauseProcess(fleet.nats.pid);
  try {
    const refused = questions.flatMap(question => [
      new Asked(front.url, fleet.token, question),
      new Asked(front.url, token, question),
    ]);
    for (const { response, body, question } of refused) {
      expect((await response).status).toBe(question.format === 'messages' ? 529 : 503);
      const error = errorOf(await body);
      expect(error?.message).toMatch(/message bus cannot be reached/);
      if (question.format !== 'messages') expect(error).toMatchObject({ code: 'bus_unavailable' });
    }
  } finally {
    process.kill(fleet.nats.pid, 'SIGCONT');
  }
  await expectWhole(streams);
  await untilReady(front);
  // What was refused counts for no limit.
  const again = questions.map(question => new Asked(front.url, token, question));
  for (const { response } of again) expect((await response).status).toBe(200);
});

test('the streams of a worker that is killed end soon, and so do the upstreams of an ingress that is', async () => {
  const streams = await startStreams();
  const { worker, serves } = await busiest(fleet.workers, streams.length);
  const killedAt = performance.now();
  await worker.kill();
  fleet.workers.splice(fleet.workers.indexOf(worker), 1);
  const cut = () => streams.filter(({ endedAt }) => endedAt !== undefined);
  await expect.poll(() => cut().length, { interval: 20 }).toBe(serves);
  for (const { body, endedAt = 0 } of cut()) {
    expect(errorOf(await body)?.message).toMatch(/worker was lost/);
    // Silence alone would end them after 20 s.
    expect(endedAt - killedAt).toBeLessThan(10_000);
  }
  const leftAt = performance.now();
  await front.kill();
  const [left] = fleet.workers;
  await expect.poll(() => callsOf(left as FleetProcess), { interval: 50 }).toBe(0);
  expect(performance.now() - leftAt).toBeLessThan(10_000);
  await expect.poll(async () => (await fleet.stats()).streams).toBe(0);
});

test('while no worker runs, requests are told that there is none', async () => {
  const other = fleet.fronts[1] as FleetProcess;
  for (const worker of fleet.workers.splice(0)) await worker.kill();
  const refused = everyQuestion('sim-t3', [false]).map(
    question => new Asked(other.url, fleet.token, question),
  );
  for (const { body } of refused)
    expect(errorOf(await body)?.message).toMatch(/^No worker that could serve this request has been running/);
});
