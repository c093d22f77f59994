import { afterAll, beforeAll, expect, test } from 'vitest';
import { Fleet } from './fleet.ts';
import { ledger } from './ledger.ts';
import { answer, catalog, known, leaderOf, opened, perToken, settled, spentBy } from './spending.ts';

/** Longer than a request waits for a process that counts. */
const longMs = 30_000;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ fronts: 3, catalog });
  await leaderOf(fleet);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** Creates a token of 10 cents; a request costs three. */
const tenCents = () => fleet.createToken({ budget: { amount: 0.1, period: 'total' } });

async function codeOf(i: number, token: string): Promise<number | string> {
  const { status, error } = await settled(fleet, i, token);
  return error?.code ?? status;
}

/** Spends what is left of ten cents, after `before` requests. */
async function spendsTheRest(id: string, token: string, before: number): Promise<void> {
  const codes: (number | string)[] = [];
  for (let i = before; i < 6; i++) codes.push(await codeOf(i, token));
  const expected = [200, 200, 200, 200, 'insufficient_quota', 'insufficient_quota'];
  expect(codes).toEqual(expected.slice(before));
  await expect.poll(() => spentBy(fleet, id), { timeout: longMs }).toBeCloseTo(12 * perToken, 6);
  expect(await codeOf(1, token)).toBe('insufficient_quota');
}

test('a stream whose worker is killed is charged for what it passed on, and frees the rest of what was reserved', async () => {
  const { id, token } = await fleet.createToken({ budget: { amount: 1, period: 'total' } });
  const stream = await opened(fleet, 0, token, { model: 'sim-t3000-i200ms', max_tokens: 90 });
  const reader = stream.body?.getReader();
  await reader?.read();
  const wanted = { model: 'sim-t20', max_tokens: 20 };
  expect((await known(fleet, 1, token, wanted)).error?.code).toBe('rate_limit_exceeded');
  await fleet.startWorker();
  await fleet.workers[0]?.kill();
  const killedAt = Date.now();
  const passes = async () => (await answer(fleet, 1, token, wanted)).status;
  await expect.poll(passes, { timeout: longMs, interval: 250 }).toBe(200);
  expect(Date.now() - killedAt).toBeLessThan(25_000);
  const lost = (await ledger(fleet)).find(({ upstreamModel }) => upstreamModel === 'sim-t3000-i200ms');
  expect(lost).toMatchObject({ outcome: 'lost', charged: true, usage: { estimated: true } });
  const tokens = 20 + (lost?.usage?.output ?? 0);
  expect(tokens).toBeGreaterThan(20);
  await expect.poll(() => spentBy(fleet, id), { timeout: longMs }).toBeCloseTo(tokens * perToken, 6);
  await reader?.cancel();
});

test('while control is away, budgets hold with what is known, and no cost is missing afterwards', async () => {
  const { id, token } = await tenCents();
  const { token: unknown } = await tenCents();
  expect([await codeOf(0, token), await codeOf(1, token)]).toEqual([200, 200]);
  await fleet.control.kill();
  expect([await codeOf(2, token), await codeOf(0, token), await codeOf(1, token)]).toEqual([
    ...[200, 200],
    'insufficient_quota',
  ]);
  // What was spent of this one was never asked.
  expect((await answer(fleet, 0, unknown)).error?.code).toBe('server_is_overloaded');
  await fleet.startControl();
  await expect.poll(() => codeOf(0, unknown), { timeout: longMs }).toBe(200);
  await spendsTheRest(id, token, 4);
});

test('after a restart of NATS, a budget is spent to its end and no further', async () => {
  const { id, token } = await tenCents();
  expect([await codeOf(0, token), await codeOf(1, token)]).toEqual([200, 200]);
  await fleet.nats.restart();
  await expect.poll(() => codeOf(2, token), { timeout: longMs }).toBe(200);
  await spendsTheRest(id, token, 3);
});
