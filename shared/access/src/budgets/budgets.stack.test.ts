import { answerQuestions, type Bus, connectBus, openProjection, spendingSubjects } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Limiter } from '../limits/limiter.ts';
import type { OnSpending, Slot } from '../limits/running.ts';
import { Processes, passed } from '../testing/processes.ts';
import type { Costs, SpendingAnswer, SpendingQuestion } from './budget.ts';

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

/** A ledger in memory: attempts with their costs, by the key of the budget. */
const attempts = new Map<string, { key: string; cost: number }>();
let answering = true;
let processes: Processes;
beforeEach(async () => {
  attempts.clear();
  answering = true;
  processes = new Processes(nats.url);
  answerQuestions(await processes.connect('control'), { subjects: spendingSubjects }, async data => {
    if (!answering) throw new Error('control is away');
    const { totals, attempts: asked } = data as SpendingQuestion;
    const all = [...attempts.values()];
    const spent = totals.map(({ key }) =>
      all.filter(each => each.key === key).reduce((sum, { cost }) => sum + cost, 0),
    );
    return { spent, recorded: asked.filter(id => attempts.has(id)), lagMs: 0 } satisfies SpendingAnswer;
  });
});
afterEach(() => processes.close());

let last = 0;
/** Returns the key of a token's budget, of which each test has its own. */
const keyOf = (name: string) => JSON.stringify(['token', name]);
/** Returns the costs of a request for a budget. */
const costsOf = (name: string, amount: number, budget = 1): Costs => ({
  token: 't',
  amount,
  budgets: [{ key: keyOf(name), amount: budget, from: 0, to: null, endsStreams: true }],
});
const take = (limiter: Limiter, costs: Costs, heard?: OnSpending) =>
  processes.passWhile(limiter.take([], 0, costs, heard));
/** Asks for slots one after another; returns the number of those that are granted, which end then. */
async function fitting(limiter: Limiter, ...all: Costs[]): Promise<number> {
  const slots: Slot[] = [];
  for (const costs of all) slots.push(await take(limiter, costs));
  for (const slot of passed(slots)) slot.end();
  await processes.pass(100);
  return passed(slots).length;
}

/** Ends a request with its cost, and adds its attempt to the ledger unless that is late. */
async function settle(slot: Slot, costs: Costs, cost: number, { late = false } = {}): Promise<string> {
  const id = `attempt-${++last}`;
  const [{ key }] = costs.budgets as [Costs['budgets'][0]];
  if (!late) attempts.set(id, { key, cost });
  slot.end(undefined, { budgets: costs.budgets, cost, attempts: [id] });
  // The leader hears of it over NATS.
  await processes.pass(0);
  return id;
}

test('of 200 requests at once at three processes, those are granted that fit in the budget', async () => {
  const all = await processes.startThree();
  const costs = costsOf('many', 0.03);
  const slots = await processes.passWhile(
    Promise.all(
      Array.from({ length: 200 }, (_, i) => (all[i % 3] as (typeof all)[0]).limiter.take([], 0, costs)),
    ),
  );
  expect(passed(slots)).toHaveLength(33);
  const refusal = slots.find(each => each.refusal)?.refusal;
  expect(refusal).toMatchObject({ kind: 'rate-limited', details: { retryAfterMs: 1_000 } });
  expect(refusal?.message).toBe(
    'This request may cost more than running requests have left of the budget of this token, $1. Retry once they have ended.',
  );
  for (const slot of passed(slots)) await settle(slot, costs, 0.01);
  expect(passed([await take(all[1].limiter, costs)])).toHaveLength(1);
});

test('a request that may cost more than is left passes while nothing is reserved, and no other one beside it', async () => {
  const [{ limiter }, other] = await processes.startThree();
  await settle(await take(limiter, costsOf('dear', 0.1)), costsOf('dear', 0.1), 0.9);
  const dear = await take(other.limiter, costsOf('dear', 5));
  expect(passed([dear])).toHaveLength(1);
  expect(passed([await take(limiter, costsOf('dear', 0.001))])).toHaveLength(0);
  dear.end();
  await processes.pass(100);
  const small = await take(other.limiter, costsOf('dear', 0.001));
  expect(passed([small])).toHaveLength(1);
  expect(passed([await take(limiter, costsOf('dear', 5))])).toHaveLength(0);
});

test('a settled cost counts once, before the ledger has it and after', async () => {
  const [{ limiter }, other] = await processes.startThree();
  const costs = costsOf('once', 0.1);
  const id = await settle(await take(other.limiter, costs), costs, 0.6, { late: true });
  const three = [0.2, 0.2, 0.2].map(amount => costsOf('once', amount));
  expect(await fitting(limiter, ...three)).toBe(2);
  attempts.set(id, { key: keyOf('once'), cost: 0.6 });
  await processes.pass(2_500);
  expect(await fitting(limiter, ...three)).toBe(2);
});

test('a spent budget says what it is and when it resets', async () => {
  const [{ limiter }] = await processes.startThree();
  const key = JSON.stringify(['project', 'spent']);
  const to = Date.UTC(2026, 11, 1);
  const costs: Costs = {
    token: 't',
    amount: 0.1,
    budgets: [{ key, amount: 0.5, from: Date.UTC(2026, 10, 1), to }],
  };
  attempts.set('before', { key, cost: 0.5 });
  const { refusal } = await take(limiter, costs);
  expect(refusal).toMatchObject({
    kind: 'quota-exceeded',
    message: 'The budget of this project, $0.5 per month, is spent. It resets at 2026-12-01T00:00:00Z.',
  });
});

test('a request of several budgets passes only while all of them have enough left', async () => {
  const [{ limiter }, other] = await processes.startThree();
  const [small, large] = [costsOf('small', 0.3, 0.5), costsOf('large', 0.3, 5)];
  const both: Costs = { token: 't', amount: 0.3, budgets: [...large.budgets, ...small.budgets] };
  const slots = [await take(other.limiter, both), await take(limiter, both)];
  expect(passed(slots)).toHaveLength(1);
  expect(slots.at(-1)?.refusal?.message).toContain('$0.5');
  expect(passed([await take(limiter, large)])).toHaveLength(1);
});

test('a growing stream reserves more, and is told when nothing is left', async () => {
  const [{ limiter }, other] = await processes.startThree();
  const slot = await take(other.limiter, costsOf('grows', 0.1));
  expect(await slot.raise?.(0.5)).toBeUndefined();
  expect(passed([await take(limiter, costsOf('grows', 0.5))])).toHaveLength(1);
  expect(await slot.raise?.(0.7)).toMatchObject({ key: keyOf('grows'), amount: 1 });
  expect(passed([await take(limiter, costsOf('grows', 0.1))])).toHaveLength(0);
});

test('a stream that is granted though it may cost more than is left reserves what is left, and ends beyond it', async () => {
  const [{ limiter }, other] = await processes.startThree();
  const costs: Costs = { ...costsOf('longer', 5), grows: true };
  const slot = await take(other.limiter, costs);
  expect(slot.decision.reserved).toBe(1);
  expect(await slot.raise?.(1.2)).toMatchObject({ key: keyOf('longer') });
  slot.end();
  await processes.pass(100);
  expect((await take(limiter, costs)).decision.reserved).toBe(1);
});

test('one token leaves three quarters of a shared budget to others that run, at whichever process', async () => {
  const [{ limiter }, second, third] = await processes.startThree();
  const budgets = [{ ...(costsOf('', 0).budgets[0] as Costs['budgets'][0]), key: '["project","crowd"]' }];
  const of = (token: string, amount: number): Costs => ({ budgets, amount, token });
  expect(passed([await take(second.limiter, of('small', 0.01))])).toHaveLength(1);
  const { refusal } = await take(third.limiter, of('large', 0.9));
  expect(refusal).toMatchObject({ kind: 'rate-limited', details: { retryAfterMs: 1_000 } });
  expect(refusal?.message).toBe(
    'While requests of other tokens run, those of this one may reserve a quarter of the budget of this project, $1, and this request may cost more. Retry once they have ended, or ask for fewer output tokens.',
  );
  const many = [limiter, second.limiter, third.limiter].map(each => take(each, of('large', 0.1)));
  expect(passed(await Promise.all(many))).toHaveLength(2);
});

test('a new leader knows what was spent and reserved, also while control is away', async () => {
  const [first, second, third] = await processes.startThree();
  const costs = costsOf('moved', 0.2);
  const [one] = [await take(third.limiter, costs), await take(second.limiter, costs)];
  await settle(one as Slot, costs, 0.3, { late: true });
  // The leader stores what it knows each second.
  await processes.pass(4_000);
  answering = false;
  await first.kill();
  // 0.3 spent, 0.2 reserved by the second process: two more of 0.2 fit.
  const more = await processes.passWhile(
    Promise.all(Array.from({ length: 6 }, (_, i) => (i % 2 ? second : third).limiter.take([], 0, costs))),
  );
  expect(passed(more)).toHaveLength(2);
});

test('a new leader holds what the one before had reserved for its own requests, for as long as they may run', async () => {
  const [first, second] = await processes.startThree();
  const costs = costsOf('leading', 0.7);
  expect(passed([await take(first.limiter, costs)])).toHaveLength(1);
  // The leader stores what it knows each second.
  await processes.pass(4_000);
  await first.kill();
  const { refusal } = await take(second.limiter, costs);
  expect(refusal?.message).toMatch(/^This request may cost more than running requests have left/);
  await processes.pass(24_900);
  expect(passed([await take(second.limiter, costs)])).toHaveLength(0);
  await processes.pass(200);
  expect(passed([await take(second.limiter, costs)])).toHaveLength(1);
});

test('reservations of a process that is killed are freed within 3 s', async () => {
  const [, second, third] = await processes.startThree();
  const costs = costsOf('killed', 1);
  expect(passed([await take(third.limiter, costs)])).toHaveLength(1);
  expect(passed([await take(second.limiter, costs)])).toHaveLength(0);
  await third.kill();
  await processes.pass(3_000);
  expect(passed([await take(second.limiter, costs)])).toHaveLength(1);
});

test('if it cannot be known what was spent, the policy decides', async () => {
  const closed = await processes.start();
  await processes.passUntil(() => closed.limiter.isLeader);
  answering = false;
  await expect(take(closed.limiter, costsOf('unknown', 0.1))).rejects.toMatchObject({ kind: 'overloaded' });
  const open = await processes.start('open');
  await processes.untilLed(closed, open);
  expect(passed([await take(open.limiter, costsOf('unknown', 0.1))])).toHaveLength(1);
});

test('processes hear what was spent of budgets that end streams', async () => {
  const [leader, other] = await processes.startThree();
  const heard = vi.fn();
  const costs = costsOf('ends', 0.1);
  await take(other.limiter, costs, heard);
  await settle(await take(leader.limiter, costs), costs, 2);
  await processes.pass(1_000);
  expect(heard.mock.lastCall?.[0]).toEqual({ key: keyOf('ends'), from: 0, spent: 2 });
});
