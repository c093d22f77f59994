import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { errorOf, type Question } from './clients.ts';
import { Fleet, type FleetProcess, untilReady } from './fleet.ts';
import { type Entry, entriesOf, ledger } from './ledger.ts';
import { Asked, busiest, callsOf, everyQuestion, simulated } from './questions.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ workers: 2 });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const running = () => fleet.workers.filter(worker => worker.running);

/** Starts two workers, with no request running. */
beforeEach(async () => {
  while (running().length < 2) await fleet.startWorker();
  await untilReady(fleet.fronts[0] as FleetProcess);
  await expect.poll(async () => (await fleet.stats()).streams).toBe(0);
});

function askAll(questions: readonly Question[], front = fleet.fronts[0] as FleetProcess): Asked[] {
  return questions.map(question => new Asked(front.url, fleet.token, question));
}

/**
 * Sends requests and waits until the upstreams have them all; returns the busiest worker and its number of
 * requests. A worker counts a call as running before its attempt is announced, and a worker that is killed in
 * between is not known to have made an attempt.
 */
async function askBusy(questions: readonly Question[]) {
  const { requests } = await fleet.stats();
  const asked = askAll(questions);
  const received = async () => (await fleet.stats()).requests - requests;
  await expect.poll(received, { timeout: 15_000, interval: 20 }).toBe(asked.length);
  return { asked, ...(await busiest(running(), asked.length)) };
}

const requestIds = (asked: readonly Asked[]) => Promise.all(asked.map(each => each.requestId()));

/** Checks that answers are those of the simulator. */
async function expectGood(asked: readonly Asked[]): Promise<void> {
  const wanted = await Promise.all(asked.map(({ question }) => simulated(fleet, question)));
  expect(await Promise.all(asked.map(each => each.text()))).toEqual(wanted);
}

/** Waits for a number of ledger entries of some requests. */
async function untilRecorded(asked: readonly Asked[], count: number): Promise<Entry[]> {
  const ids = await requestIds(asked);
  await expect.poll(async () => (await entriesOf(fleet, ids)).length, { timeout: 15_000 }).toBe(count);
  return entriesOf(fleet, ids);
}

test('a worker killed before the first token causes a retry that the client does not notice', async () => {
  const { asked, worker, serves } = await askBusy(everyQuestion('sim-t20-f6000ms'));
  await worker.kill();
  await expectGood(asked);
  const entries = await untilRecorded(asked, asked.length + serves);
  const charged = entries.filter(entry => entry.charged);
  expect(charged.map(({ requestId }) => requestId).toSorted()).toEqual((await requestIds(asked)).toSorted());
  for (const entry of charged) expect(entry).toMatchObject({ outcome: 'answered', usage: { output: 20 } });
  const others = entries.filter(entry => !entry.charged);
  // What the upstream may bill is listed apart.
  for (const entry of others) expect(entry).toMatchObject({ outcome: 'lost', usage: { estimated: true } });
});

test("a worker killed after the first token ends the stream with an error in the client's format", async () => {
  const asked = askAll(everyQuestion('sim-t3000-i20ms', [true]));
  await Promise.all(asked.map(each => each.response));
  const { worker, serves } = await busiest(running(), asked.length);
  const killedAt = performance.now();
  await worker.kill();
  const cut = () => asked.filter(({ endedAt }) => endedAt !== undefined);
  await expect.poll(() => cut().length, { timeout: 15_000, interval: 20 }).toBe(serves);
  for (const { question, body, endedAt = 0 } of cut()) {
    expectErrorEvent(await body, question);
    expect(endedAt - killedAt).toBeLessThan(10_000);
  }
  const lost = await untilRecorded(cut(), serves);
  for (const entry of lost)
    expect(entry).toMatchObject({ outcome: 'lost', charged: true, usage: { estimated: true } });
  for (const each of asked) each.leave();
});

function expectErrorEvent(body: string, { format }: Question): void {
  const last = body.trimEnd().split('\n\n').at(-1);
  expect(errorOf(body)).toMatchObject({
    message: expect.stringMatching(/worker was lost/),
    type: expect.any(String),
  });
  expect(last).toMatch(format === 'messages' ? /^event: error\ndata: {"type":"error"/ : /^data: {"error"/);
  expect(body).not.toMatch(/\[DONE\]|message_stop/);
}

test('a worker stopped before the first token is replaced by another, and gives up when it continues', async () => {
  const { cancelled } = await fleet.stats();
  const questions = everyQuestion('sim-t20-f6000ms', [false]);
  const streamed = everyQuestion('sim-t3000-i20ms-f6000ms', [true]);
  const { asked, worker, serves } = await askBusy([...questions, ...streamed]);
  const whole = asked.slice(0, questions.length);
  const streams = asked.slice(questions.length);
  worker.signal('SIGSTOP');
  // It is lost after 20 s of silence.
  await expectGood(whole);
  for (const each of streams) expect((await each.response).status).toBe(200);
  worker.signal('SIGCONT');
  await expect.poll(async () => (await fleet.stats()).streams).toBe(streams.length);
  await expect.poll(() => callsOf(worker)).toBe(0);
  for (const each of streams) each.leave();
  await expect.poll(async () => (await fleet.stats()).streams).toBe(0);
  expect((await fleet.stats()).cancelled).toBeGreaterThan(cancelled);
  const entries = await untilRecorded(asked, asked.length + serves);
  const charged = entries.filter(entry => entry.charged);
  expect(charged.map(({ requestId }) => requestId).toSorted()).toEqual((await requestIds(asked)).toSorted());
});

test('a killed ingress has the upstreams of its streams closed and their usage recorded once', async () => {
  const front = await fleet.startFront();
  await untilReady(front);
  const asked = askAll(everyQuestion('sim-t3000-i20ms', [true]), front);
  // More than ten tokens, also in the shortest of the formats.
  await expect.poll(() => asked.every(({ received }) => received.length > 4_000)).toBe(true);
  const killedAt = performance.now();
  await front.kill();
  await expect.poll(async () => (await fleet.stats()).streams, { timeout: 15_000, interval: 50 }).toBe(0);
  expect(performance.now() - killedAt).toBeLessThan(10_000);
  const entries = await untilRecorded(asked, asked.length);
  for (const entry of entries) {
    expect(entry).toMatchObject({ outcome: 'cancelled', charged: true, usage: { estimated: true } });
    expect(entry.usage?.input).toBeGreaterThan(0);
    expect(entry.usage?.output).toBeGreaterThan(10);
  }
});

test('no request is charged twice after all processes were killed', async () => {
  const charged = (await ledger(fleet)).filter(entry => entry.charged).map(({ requestId }) => requestId);
  expect(charged).toHaveLength(new Set(charged).size);
});
