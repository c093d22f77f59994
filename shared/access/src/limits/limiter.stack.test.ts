import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus, openProjection } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { silentMs } from './leader.ts';
import { Limiter } from './limiter.ts';
import type { Counted } from './limits.ts';
import type { Place } from './place.ts';

let nats: NatsServer;
let admin: Bus;
beforeAll(async () => {
  nats = await startNats();
  admin = await connectBus({ url: nats.url, name: 'control' });
  // A busy server may answer a request of JetStream too late.
  await vi.waitFor(() => openProjection(admin, 'limits'), { timeout: 60_000 });
});
afterAll(async () => {
  await admin?.close();
  await nats?.stop();
});

const withoutLeader = { localMs: 60_000, policy: 'closed' } as const;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(): Promise<{ limiter: Limiter; bus: Bus; kill(): Promise<void> }> {
  const bus = await connectBus({ url: nats.url, name: 'ingress' });
  const limiter = new Limiter(bus, withoutLeader);
  closers.push(
    () => bus.close(),
    () => limiter.close(),
  );
  // A process that is killed says nothing more.
  return { limiter, bus, kill: () => bus.calls.close().then(() => bus.state.close()) };
}

async function startThree() {
  const first = await start();
  await expect.poll(() => first.limiter.isLeader).toBe(true);
  const all = [first, await start(), await start()] as const;
  // Until each knows the leader, it would decide alone.
  await Promise.all(all.map(({ limiter }) => untilLed(limiter, first.limiter)));
  return all;
}

let run = 0;
beforeEach(() => {
  run++;
});
let probes = 0;

/** Waits until a process gets its decisions from the leader. */
async function untilLed(limiter: Limiter, leader: Limiter): Promise<void> {
  const probe = tokenOf(`probe ${++probes}`, { concurrency: 1 });
  const held = await leader.take(probe, 0);
  // A process that decides alone does not know of the place that is held.
  await expect.poll(() => isRefused(limiter, probe)).toBe(true);
  held.end();
  await sleep(1_100);
}

/** Takes a place for a moment; true if it is refused. */
async function isRefused(limiter: Limiter, counted: readonly Counted[]): Promise<boolean> {
  const place = await limiter.take(counted, 0);
  place.end();
  return place.refusal !== undefined;
}

const passed = (places: readonly Place[]) => places.filter(({ refusal }) => !refusal);
/** Returns the limits of a token; each run of a test has its own. */
const tokenOf = (id: string, limits: Omit<Counted, 'key'>): Counted[] => [
  { key: JSON.stringify(['token', `${id} ${run}`]), ...limits },
];

test('of 300 requests at once at three processes, exactly the limit of 100 pass', { retry: 2 }, async () => {
  const all = await startThree();
  const counted = tokenOf('many', { requestsPerMinute: 100 });
  const places = await Promise.all(
    Array.from({ length: 300 }, (_, i) => (all[i % 3] as (typeof all)[0]).limiter.take(counted, 0)),
  );
  expect(passed(places)).toHaveLength(100);
  const refusal = places.find(each => each.refusal)?.refusal;
  expect(refusal).toMatchObject({ kind: 'rate-limited' });
  expect(refusal?.message).toMatch(
    /^This token has reached its limit of 100 requests per minute\. Retry in \d+ s\.$/,
  );
  expect(refusal?.details.retryAfterMs).toBeGreaterThan(50_000);
});

test('a request that has begun already counts at every process, even over its limit', async () => {
  const all = await startThree();
  const counted = tokenOf('begun', { requestsPerMinute: 3, tokensPerMinute: 100 });
  const ends = all.map(({ limiter }) => limiter.count(counted));
  await sleep(1_000);
  for (const { limiter } of all)
    expect((await limiter.take(counted, 0)).refusal?.message).toMatch(/limit of 3 requests per minute/);
  all[1].limiter.count(counted)(1);
  for (const end of ends) end(40);
  await sleep(1_000);
  const ofTokens = tokenOf('begun', { tokensPerMinute: 121 });
  for (const { limiter } of all) expect((await limiter.take(ofTokens, 0)).decision.tokens?.remaining).toBe(0);
});

test('running requests of a process that is killed end within 10 s', async () => {
  const [first, second, third] = await startThree();
  const counted = tokenOf('killed', { concurrency: 4 });
  const take = (limiter: Limiter) => limiter.take(counted, 0);
  const places = await Promise.all([take(first.limiter), take(second.limiter), take(third.limiter)]);
  const [kept] = [await take(third.limiter)];
  expect(passed(places)).toHaveLength(3);
  expect((await take(second.limiter)).refusal?.message).toBe(
    'This token has reached its limit of 4 running requests. Wait until one has ended.',
  );
  kept?.end();
  await third.kill();
  await expect.poll(async () => passed([await take(second.limiter)]).length, { interval: 500 }).toBe(1);
});

test('a new leader knows what the processes that are left counted', { retry: 2 }, async () => {
  const [first, second, third] = await startThree();
  const counted = tokenOf('moved', { requestsPerMinute: 10, concurrency: 8 });
  const places = await Promise.all(
    Array.from({ length: 6 }, (_, i) => (i % 2 ? second : third).limiter.take(counted, 0)),
  );
  await first.kill();
  await expect.poll(() => second.limiter.isLeader || third.limiter.isLeader, { timeout: 15_000 }).toBe(true);
  await sleep(1_500);
  const more = await Promise.all(
    Array.from({ length: 10 }, (_, i) => (i % 2 ? second : third).limiter.take(counted, 0)),
  );
  // Two of the eight places are free.
  expect(passed(more)).toHaveLength(2);
  for (const place of [...places, ...passed(more)]) place.end();
  await sleep(100);
  const last = await Promise.all(Array.from({ length: 10 }, () => second.limiter.take(counted, 0)));
  expect(passed(last)).toHaveLength(2);
});

test('a leader that stops hands its counts over, those of processes that are gone too', async () => {
  const [first, second, third] = await startThree();
  const counted = tokenOf('handed', { requestsPerMinute: 10 });
  await Promise.all(Array.from({ length: 6 }, () => third.limiter.take(counted, 0)));
  await third.kill();
  await first.limiter.close();
  await expect.poll(() => second.limiter.isLeader).toBe(true);
  await sleep(500);
  const more = await Promise.all(Array.from({ length: 10 }, () => second.limiter.take(counted, 0)));
  expect(passed(more)).toHaveLength(4);
});

// A process decides alone when it has no answer within a second.
test('exactly the limit passes while a leader stops and another one takes its place', {
  retry: 3,
}, async () => {
  const [first, second, third] = await startThree();
  const counted = tokenOf('between', { requestsPerMinute: 90 });
  const take = (limiter: Limiter, count: number) =>
    Promise.all(Array.from({ length: count }, () => limiter.take(counted, 0)));
  const places = await take(first.limiter, 20);
  const closing = first.limiter.close();
  await sleep(50);
  // One of the two becomes the leader while the questions of the other are on their way to the one before.
  const more = await Promise.all([take(second.limiter, 60), take(third.limiter, 60)]);
  places.push(...more.flat());
  await closing;
  expect(passed(places)).toHaveLength(90);
});

test('requests of many tokens are counted by a new leader, in several messages', async () => {
  const [first, second, third] = await startThree();
  const many = Array.from({ length: 1_200 }, (_, i) =>
    tokenOf(`many ${i}`, { requestsPerMinute: 2, concurrency: 2 }),
  );
  const takeAll = (limiter: Limiter) => Promise.all(many.map(counted => limiter.take(counted, 0)));
  expect(passed(await takeAll(third.limiter))).toHaveLength(1_200);
  await first.limiter.close();
  await expect.poll(() => second.limiter.isLeader || third.limiter.isLeader).toBe(true);
  await sleep(800);
  expect(passed(await takeAll(second.limiter))).toHaveLength(1_200);
  expect(passed(await takeAll(third.limiter))).toHaveLength(0);
});

test('a leader learns of running requests that it missed, and a message that it cannot read harms nobody', async () => {
  const [first, second] = await startThree();
  first.bus.calls.publish('gateway.v1.limits.ask', 'null');
  first.bus.calls.publish('gateway.v1.limits.all', '{');
  const counted = tokenOf('missed', { concurrency: 1 });
  const [place] = [await second.limiter.take(counted, 0)];
  expect(place.refusal).toBeUndefined();
  // The end of another process's request with the same id, as after a lost connection.
  const from = [...new Set(await senders(second.bus))][0] as string;
  first.bus.calls.publish(
    'gateway.v1.limits.ask',
    JSON.stringify({ from, data: { ends: [[place.decision.id]] } }),
  );
  await first.bus.calls.flush();
  await expect.poll(() => isRefused(first.limiter, counted), { interval: 300 }).toBe(true);
});

/** Returns the processes that send beats within a second. */
async function senders(bus: Bus): Promise<string[]> {
  const found: string[] = [];
  const subscription = bus.calls.subscribe('gateway.v1.limits.ask', {
    callback: (_, message) => {
      const { from, data } = message.json<{ from: string; data: { beat?: number[] } }>();
      if (data.beat?.length) found.push(from);
    },
  });
  await sleep(1_300);
  subscription.unsubscribe();
  return found;
}

test('without a leader, each process applies its share of a limit, and then the configured rule', async () => {
  const lone = await connectBus({ url: nats.url, name: 'ingress' });
  closers.push(() => lone.close());
  await admin.state.request('$JS.API.STREAM.DELETE.KV_limits', '', { timeout: 60_000 });
  const rules = [
    { localMs: 60_000, policy: 'closed' },
    { localMs: 0, policy: 'open' },
    { localMs: 0, policy: 'closed' },
  ] as const;
  const [local, open, closed] = rules.map(rule => new Limiter(lone, rule));
  for (const each of [local, open, closed]) closers.push(async () => each?.close());
  await sleep(1_200);
  const counted = tokenOf('alone', { requestsPerMinute: 3 });
  const five = (limiter: Limiter | undefined) =>
    Promise.all(Array.from({ length: 5 }, () => limiter?.take(counted, 0) as Promise<Place>));
  expect(passed(await five(local))).toHaveLength(3);
  expect(passed(await five(open))).toHaveLength(5);
  await expect(five(closed)).rejects.toMatchObject({
    kind: 'overloaded',
    message: 'The limits of this token cannot be checked at the moment.',
  });
  await vi.waitFor(() => openProjection(admin, 'limits'), { timeout: 60_000 });
  await expect.poll(() => closed?.isLeader || open?.isLeader || local?.isLeader).toBe(true);
});

/** Takes places one after another, a few in a millisecond, until three in a row are refused; returns the number that passed. */
async function takeUntilRefused(
  { limiter }: { limiter: Limiter },
  counted: readonly Counted[],
): Promise<number> {
  let passes = 0;
  for (let refusals = 0; refusals < 3; ) {
    const place = await limiter.take(counted, 10).catch(() => undefined);
    if (!place || place.refusal) {
      refusals++;
      await sleep(10);
      continue;
    }
    refusals = 0;
    if (++passes % 4 === 0) await sleep(1);
    place.end(10);
  }
  return passes;
}

test('a process that asks often asks for few of its requests, and exactly the limit passes', async () => {
  const [first, second, third] = await startThree();
  let asks = 0;
  const subscription = first.bus.calls.subscribe('gateway.v1.limits.ask', {
    callback: (_, message) => {
      asks += message.json<{ data: { asks?: unknown[] } }>().data.asks?.length ?? 0;
    },
  });
  const counted = tokenOf('often', { requestsPerMinute: 4_000, tokensPerMinute: 1_000_000, concurrency: 40 });
  const passes = await Promise.all([second, third].map(each => takeUntilRefused(each, counted)));
  subscription.unsubscribe();
  expect(Math.min(...passes)).toBeGreaterThan(500);
  expect(asks).toBeLessThan(1_000);
  // What was lent and not used is given back.
  await sleep(2_000);
  const rest = await takeUntilRefused(first, counted);
  expect(passes.reduce((sum, each) => sum + each, rest)).toBe(4_000);
});

test('no more than the limit passes when the leader is killed while others have its loans', {
  retry: 2,
}, async () => {
  const [first, second, third] = await startThree();
  const counted = tokenOf('lent', { requestsPerMinute: 6_000 });
  const before = [second, third].map(each => takeUntilRefused(each, counted));
  await sleep(300);
  await first.kill();
  const passes = await Promise.all(before);
  await expect.poll(() => second.limiter.isLeader || third.limiter.isLeader, { timeout: 15_000 }).toBe(true);
  await sleep(1_500);
  for (const each of [second, third]) passes.push(await takeUntilRefused(each, counted));
  const sum = passes.reduce((all, each) => all + each, 0);
  expect(sum).toBeLessThanOrEqual(6_000);
  expect(sum).toBeGreaterThan(5_500);
});

test('a process that stood still takes the answer of the leader that it has not read yet', {
  retry: 3,
}, async () => {
  const [, second, third] = await startThree();
  const counted = tokenOf('still', { requestsPerMinute: 3 });
  for (let i = 0; i < 3; i++) expect((await second.limiter.take(counted, 0)).refusal).toBeUndefined();
  const taking = third.limiter.take(counted, 0);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300);
  // By its own share alone, it would pass.
  expect((await taking).refusal?.message).toMatch(/limit of 3 requests per minute/);
});

test('a lone process refuses requests once its time without a leader is over, and goes on', {
  retry: 2,
}, async () => {
  const [first, ...others] = await startThree();
  const hasty = await connectBus({ url: nats.url, name: 'ingress' });
  const limiter = new Limiter(hasty, { localMs: 0, policy: 'closed' });
  closers.push(
    () => hasty.close(),
    () => limiter.close(),
  );
  await untilLed(limiter, first.limiter);
  await first.kill();
  await expect(limiter.take(tokenOf('late', { concurrency: 1 }), 0)).rejects.toMatchObject({
    kind: 'overloaded',
  });
  await expect
    .poll(() => limiter.isLeader || others.some(other => other.limiter.isLeader), { timeout: 15_000 })
    .toBe(true);
});

test('the silence after which requests are over is short enough for 10 s', () => {
  expect(silentMs).toBeLessThan(9_000);
});
