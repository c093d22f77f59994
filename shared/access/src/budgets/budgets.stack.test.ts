import { setTimeout as sleep } from 'node:timers/promises';
import { answerQuestions, type Bus, connectBus, openProjection, spendingSubjects } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { silentMs } from '../limits/leader.ts';
import { Limiter } from '../limits/limiter.ts';
import type { OnSpending, Place } from '../limits/place.ts';
import type { Costs, SpendingAnswer, SpendingQuestion } from './messages.ts';

let nats: NatsServer;
let control: Bus;
beforeAll(async () => {
  nats = await startNats();
  control = await connectBus({ url: nats.url, name: 'control' });
  // A busy server may answer a request of JetStream too late.
  await vi.waitFor(() => openProjection(control, 'limits'), { timeout: 60_000 });
});
afterAll(async () => {
  await control?.close();
  await nats?.stop();
});

/** A ledger in memory: attempts with their costs, by the key of the budget. */
const attempts = new Map<string, { key: string; cost: number }>();
let answering = true;
let run = 0;
beforeEach(() => {
  run++;
  attempts.clear();
  answering = true;
  const stop = answerQuestions(control, { subjects: spendingSubjects }, async data => {
    if (!answering) throw new Error('control is away');
    const { totals, attempts: asked } = data as SpendingQuestion;
    const all = [...attempts.values()];
    const spent = totals.map(({ key }) =>
      all.filter(each => each.key === key).reduce((sum, { cost }) => sum + cost, 0),
    );
    return { spent, recorded: asked.filter(id => attempts.has(id)), lagMs: 0 } satisfies SpendingAnswer;
  });
  closers.push(async () => stop());
});

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(policy: 'open' | 'closed' = 'closed') {
  const bus = await connectBus({ url: nats.url, name: 'ingress' });
  const limiter = new Limiter(bus, { localMs: 60_000, policy });
  closers.push(
    () => bus.close(),
    () => limiter.close(),
  );
  return { limiter, kill: () => bus.calls.close().then(() => bus.state.close()) };
}

async function startThree() {
  const first = await start();
  await expect.poll(() => first.limiter.isLeader).toBe(true);
  return [first, await start(), await start()] as const;
}

let last = 0;
/** Returns the key of a token's budget; each run of a test has its own. */
const keyOf = (name: string) => JSON.stringify(['token', `${name} ${run}`]);
/** Returns the costs of a request for a budget. */
const costsOf = (name: string, amount: number, budget = 1): Costs => ({
  amount,
  budgets: [{ key: keyOf(name), amount: budget, from: 0, to: null }],
});
/** Asks for a place, again if it cannot be known in time what was spent. */
const take = (limiter: Limiter, costs: Costs, heard?: OnSpending) =>
  vi.waitFor(() => limiter.take([], 0, costs, heard), { timeout: 60_000 });
const granted = (places: readonly Place[]) => places.filter(({ refusal }) => !refusal);

/** Ends a request with its cost, and adds its attempt to the ledger unless that is late. */
function settle(place: Place, costs: Costs, cost: number, { late = false } = {}): string {
  const id = `attempt-${++last}`;
  const [{ key }] = costs.budgets as [Costs['budgets'][0]];
  if (!late) attempts.set(id, { key, cost });
  place.end(undefined, { budgets: costs.budgets, cost, attempts: [id] });
  return id;
}

test('of 200 requests at once at three processes, those are granted that fit in the budget', async () => {
  const all = await startThree();
  const costs = costsOf('many', 0.03);
  const places = await Promise.all(
    Array.from({ length: 200 }, (_, i) => take((all[i % 3] as (typeof all)[0]).limiter, costs)),
  );
  expect(granted(places)).toHaveLength(33);
  const refusal = places.find(each => each.refusal)?.refusal;
  expect(refusal).toMatchObject({ kind: 'rate-limited', details: { retryAfterMs: 1_000 } });
  expect(refusal?.message).toBe(
    'This request may cost more than running requests have left of the budget of this token, $1. Retry once they have ended.',
  );
  for (const place of granted(places)) settle(place, costs, 0.01);
  // The leader hears of the costs over NATS.
  await expect.poll(async () => granted([await take(all[1].limiter, costs)]).length).toBe(1);
});

test('a request that may cost more than is left passes while nothing is reserved, and no other one beside it', async () => {
  const [{ limiter }, other] = await startThree();
  settle(await take(limiter, costsOf('dear', 0.1)), costsOf('dear', 0.1), 0.9);
  await sleep(100);
  const dear = await take(other.limiter, costsOf('dear', 5));
  expect(granted([dear])).toHaveLength(1);
  expect(granted([await take(limiter, costsOf('dear', 0.001))])).toHaveLength(0);
  dear.end();
  const small = await take(other.limiter, costsOf('dear', 0.001));
  expect(granted([small])).toHaveLength(1);
  expect(granted([await take(limiter, costsOf('dear', 5))])).toHaveLength(0);
});

test('a settled cost counts once, before the ledger has it and after', async () => {
  const [{ limiter }, other] = await startThree();
  const costs = costsOf('once', 0.1);
  const place = await take(other.limiter, costs);
  const id = settle(place, costs, 0.6, { late: true });
  const fitting = async () => {
    const places = granted(await Promise.all([0.2, 0.2, 0.2].map(n => take(limiter, costsOf('once', n)))));
    for (const each of places) each.end();
    return places.length;
  };
  // The leader hears of the cost over NATS.
  await expect.poll(fitting).toBe(2);
  attempts.set(id, { key: keyOf('once'), cost: 0.6 });
  await sleep(2_500);
  expect(await fitting()).toBe(2);
});

test('a spent budget says what it is and when it starts anew', async () => {
  const [{ limiter }] = await startThree();
  const key = JSON.stringify(['project', `spent ${run}`]);
  const to = Date.UTC(2026, 11, 1);
  const costs: Costs = {
    amount: 0.1,
    budgets: [{ key, amount: 0.5, from: Date.UTC(2026, 10, 1), to }],
  };
  attempts.set('before', { key, cost: 0.5 });
  const { refusal } = await take(limiter, costs);
  expect(refusal).toMatchObject({
    kind: 'quota-exceeded',
    message: 'The budget of this project, $0.5 per month, is spent. It starts anew at 2026-12-01T00:00:00Z.',
  });
});

test('a request of several budgets passes only while all of them have enough left', async () => {
  const [{ limiter }, other] = await startThree();
  const [small, large] = [costsOf('small', 0.3, 0.5), costsOf('large', 0.3, 5)];
  const both: Costs = { amount: 0.3, budgets: [...large.budgets, ...small.budgets] };
  const places = await Promise.all([take(other.limiter, both), take(limiter, both)]);
  expect(granted(places)).toHaveLength(1);
  expect(places.find(({ refusal }) => refusal)?.refusal?.message).toContain('$0.5');
  expect(granted([await take(limiter, large)])).toHaveLength(1);
});

test('a growing stream reserves more, and is told when nothing is left', async () => {
  const [{ limiter }, other] = await startThree();
  const place = await take(other.limiter, costsOf('grows', 0.1));
  expect(await place.raise?.(0.5)).toBeUndefined();
  expect(granted([await take(limiter, costsOf('grows', 0.5))])).toHaveLength(1);
  expect(await place.raise?.(0.7)).toMatchObject({ key: keyOf('grows'), amount: 1 });
  expect(granted([await take(limiter, costsOf('grows', 0.1))])).toHaveLength(0);
});

test('a new leader knows what was spent and reserved, also while control is away', { retry: 2 }, async () => {
  const [first, second, third] = await startThree();
  const costs = costsOf('moved', 0.2);
  const [one] = [await take(third.limiter, costs), await take(second.limiter, costs)];
  settle(one as Place, costs, 0.3, { late: true });
  // The leader stores what it knows each second.
  await sleep(4_000);
  answering = false;
  await first.kill();
  // 0.3 spent, 0.2 reserved by the second process: two more of 0.2 fit.
  const more = await Promise.all(
    Array.from({ length: 6 }, (_, i) => take((i % 2 ? second : third).limiter, costs)),
  );
  expect(granted(more)).toHaveLength(2);
});

test('a new leader holds what the one before had reserved for its own requests, for ten seconds', {
  retry: 2,
}, async () => {
  const [first, second] = await startThree();
  const costs = costsOf('leading', 0.7);
  expect(granted([await take(first.limiter, costs)])).toHaveLength(1);
  // The leader stores what it knows each second.
  await sleep(4_000);
  await first.kill();
  const takes = async () => granted([await take(second.limiter, costs)]).length;
  expect(await takes()).toBe(0);
  await expect.poll(takes, { timeout: 30_000, interval: 500 }).toBe(1);
});

test('reservations of a process that is killed are freed within 10 s', async () => {
  const [, second, third] = await startThree();
  const costs = costsOf('killed', 1);
  expect(granted([await take(third.limiter, costs)])).toHaveLength(1);
  expect(granted([await take(second.limiter, costs)])).toHaveLength(0);
  await third.kill();
  await expect
    .poll(async () => granted([await take(second.limiter, costs)]).length, {
      timeout: 30_000,
      interval: 500,
    })
    .toBe(1);
  expect(silentMs).toBeLessThan(9_000);
});

test('if it cannot be known what was spent, the policy decides', async () => {
  const closed = await start();
  await expect.poll(() => closed.limiter.isLeader).toBe(true);
  answering = false;
  await expect(closed.limiter.take([], 0, costsOf('unknown', 0.1))).rejects.toMatchObject({
    kind: 'overloaded',
  });
  const open = await start('open');
  await sleep(1_100);
  expect(granted([await open.limiter.take([], 0, costsOf('unknown', 0.1))])).toHaveLength(1);
});

test('processes hear what was spent of budgets that end streams', async () => {
  const [leader, other] = await startThree();
  const heard = vi.fn();
  const costs = costsOf('ends', 0.1);
  const ending: Costs = { ...costs, budgets: costs.budgets.map(each => ({ ...each, endsStreams: true })) };
  await take(other.limiter, ending, heard);
  settle(await take(leader.limiter, costs), costs, 2);
  await expect.poll(() => heard.mock.lastCall?.[0]).toEqual({ key: keyOf('ends'), from: 0, spent: 2 });
});
