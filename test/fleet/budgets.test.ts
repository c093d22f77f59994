import type { OwnToken } from '@model-gateway/admin-api';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Fleet, type FleetProcess } from './fleet.ts';
import {
  answer,
  catalog,
  known,
  leaderOf,
  opened,
  perToken,
  type Refusal,
  type Requested,
  settled,
  spentBy,
} from './spending.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start({ fronts: 3, catalog });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const frontOf = (i: number) => fleet.fronts[i % fleet.fronts.length] as FleetProcess;

const statusOf = async (i: number, token: string, wanted?: Requested) =>
  (await settled(fleet, i, token, wanted)).status;

test('of 200 calls at once at three processes, 1 dollar is overrun by less than one reservation', async () => {
  await leaderOf(fleet);
  const { id, token } = await fleet.createToken({ budget: { amount: 1, period: 'total' } });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => known(fleet, i, token)));
  const passed = answers.filter(({ status }) => status === 200).length;
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(200 - passed);
  // 33 of 0.03 fit at once. With the 0.01 that is left, one more passes once they have ended.
  expect([33, 34]).toContain(passed);
  if (passed === 33) expect((await settled(fleet, 0, token)).status).toBe(200);
  const { status, error } = await settled(fleet, 1, token);
  expect([status, error?.code]).toEqual([429, 'insufficient_quota']);
  await expect.poll(() => spentBy(fleet, id), { timeout: 20_000 }).toBeCloseTo(34 * 3 * perToken, 6);
});

test('a refusal says which budget is spent and when it resets, and the SDK does not retry', async () => {
  const { token } = await fleet.createToken({ budget: { amount: 0.05, period: 'month' } });
  expect(await statusOf(0, token)).toBe(200);
  expect(await statusOf(1, token)).toBe(200);
  const { status, headers, error } = await settled(fleet, 2, token);
  expect(status).toBe(429);
  expect(headers.get('x-should-retry')).toBe('false');
  expect(error).toMatchObject({ type: 'insufficient_quota', code: 'insufficient_quota' });
  expect(error?.message).toMatch(
    /^The budget of this token, \$0\.05 per month, is spent\. It resets at \d{4}-\d\d-01T00:00:00Z\.$/,
  );
  let requests = 0;
  const client = new OpenAI({
    apiKey: token,
    baseURL: `${frontOf(0).url}/v1`,
    fetch: (url, init) => {
      requests++;
      return fetch(url, init);
    },
  });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const failed = await client.chat.completions.create({ model: 'sim-t3', messages }).catch(error => error);
  expect(failed).toBeInstanceOf(OpenAI.RateLimitError);
  expect([failed.status, failed.code, requests]).toEqual([429, 'insufficient_quota', 1]);
  const post = (path: string, body: object) =>
    fetch(frontOf(1).url + path, {
      method: 'POST',
      headers: {
        'x-api-key': token,
        'x-goog-api-key': token,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const ofMessages = await post('/v1/messages', { model: 'sim-t3', max_tokens: 3, messages });
  expect([ofMessages.status, ((await ofMessages.json()) as { error: Refusal }).error.type]).toEqual([
    402,
    'billing_error',
  ]);
  const ofGoogle = await post('/v1beta/models/sim-t3:generateContent', {
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
  });
  expect([ofGoogle.status, ((await ofGoogle.json()) as { error: { status: string } }).error.status]).toEqual([
    429,
    'RESOURCE_EXHAUSTED',
  ]);
});

test('a budget that is raised or removed holds at every process at once', async () => {
  const { id, token } = await fleet.createToken({ budget: { amount: 0.01, period: 'day' } });
  expect([await statusOf(0, token), await statusOf(1, token)]).toEqual([200, 429]);
  await fleet.admin('PATCH', `/tokens/${id}`, { budget: { amount: 0.05, period: 'week' } });
  await expect.poll(async () => statusOf(2, token)).toBe(200);
  expect(await statusOf(1, token)).toBe(429);
  await fleet.admin('PATCH', `/tokens/${id}`, { budget: null });
  await expect.poll(async () => statusOf(0, token)).toBe(200);
  const own = await fetch(`${fleet.control.url}/api/v1/token`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await own.json()).toMatchObject({ budget: null });
});

test('the budgets of a project and of a user hold for all their tokens', async () => {
  for (const [fields, name] of [
    [{ project: 'shared' }, 'project, $0.1 per day'],
    [{ owner: 'ada' }, "token's owner, $0.1 per week"],
  ] as const) {
    const tokens = [await fleet.createToken(fields), await fleet.createToken(fields)];
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push(await statusOf(i, (tokens[i % 2] as { token: string }).token));
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    const { error } = await settled(fleet, 0, (tokens[0] as { token: string }).token);
    expect(error?.message).toContain(`The budget of this ${name}, is spent.`);
  }
});

test('a model without a price is refused to a token with a budget, unless its project allows it', async () => {
  const budget = { amount: 1, period: 'day' };
  const { token } = await fleet.createToken({ budget });
  const { status, error } = await answer(fleet, 0, token, { model: 'free-t3' });
  expect([status, error?.code]).toEqual([403, 'price_unknown']);
  const lenient = await fleet.createToken({ budget, project: 'lenient' });
  expect(await statusOf(0, lenient.token, { model: 'free-t3' })).toBe(200);
  const unlimited = await fleet.createToken();
  expect(await statusOf(0, unlimited.token, { model: 'free-t3' })).toBe(200);
});

test('the dearest target that a request may go to is reserved, and what it used is settled', async () => {
  const { id, token } = await fleet.createToken({ budget: { amount: 0.05, period: 'day' } });
  // Its fallback costs 0.03 a request, of which two fit; the cheap answers leave room for many.
  const first = await Promise.all([0, 1, 2, 3].map(i => statusOf(i, token, { model: 'cheap' })));
  expect(first.filter(status => status === 200).length).toBeGreaterThanOrEqual(2);
  for (let i = 0; i < 5; i++) await expect.poll(() => statusOf(i, token, { model: 'cheap' })).toBe(200);
  await expect.poll(() => spentBy(fleet, id)).toBeGreaterThan(0);
  expect(await spentBy(fleet, id)).toBeLessThan(0.001);
});

test('a request that fails frees what was reserved for it', async () => {
  const { token } = await fleet.createToken({ budget: { amount: 0.03, period: 'day' } });
  for (let i = 0; i < 3; i++) expect(await statusOf(i, token, { model: 'sim-t3', max_tokens: -5 })).toBe(400);
  expect(await statusOf(0, token)).toBe(200);
});

test('a stream that outgrows its budget ends, or goes on if the budget says so', async () => {
  const stream = { model: 'sim-t400-i10ms', stream: true, max_tokens: undefined };
  const budget = { amount: 0.5, period: 'day' };
  const kept = await fleet.createToken({ budget: { ...budget, endsStreams: false } });
  const ending = await fleet.createToken({ budget });
  const [whole, ended] = await Promise.all([
    known(fleet, 0, kept.token, stream as Requested),
    // Outlasts the time in which its end is decided.
    known(fleet, 1, ending.token, { ...stream, model: 'sim-t3000-i20ms' } as Requested),
  ]);
  expect(whole.text).toContain('[DONE]');
  expect(ended.text).not.toContain('[DONE]');
  expect(ended.error).toMatchObject({ code: 'insufficient_quota' });
  await expect.poll(() => spentBy(fleet, kept.id), { timeout: 20_000 }).toBeCloseTo(400 * perToken, 6);
  expect(await statusOf(2, kept.token)).toBe(429);
});

test('a new leader knows what was spent, and an ingress that is killed frees what it reserved', async () => {
  const { id, token } = await fleet.createToken({ budget: { amount: 0.1, period: 'total' } });
  const leader = await leaderOf(fleet);
  expect([await statusOf(0, token), await statusOf(1, token)]).toEqual([200, 200]);
  const running = await fleet.createToken({ budget: { amount: 1, period: 'total' } });
  const leaving = fleet.fronts.indexOf(leader);
  const held = await opened(fleet, leaving, running.token, { model: 'sim-t3000-i200ms', max_tokens: 200 });
  expect((await known(fleet, leaving + 1, running.token)).error?.code).toBe('rate_limit_exceeded');
  await leader.kill();
  fleet.fronts.splice(leaving, 1);
  held.body?.cancel().catch(() => {});
  const statuses = await Promise.all(Array.from({ length: 10 }, (_, i) => statusOf(i, token)));
  expect(statuses.filter(status => status === 200)).toHaveLength(2);
  await expect.poll(() => spentBy(fleet, id), { timeout: 20_000 }).toBeCloseTo(0.12, 6);
  await expect.poll(async () => statusOf(0, running.token), { timeout: 20_000, interval: 250 }).toBe(200);
});

test('a token is told what is left of the limits and budgets of itself, its project and its owner', async () => {
  await fleet.admin('PUT', '/projects/told', {
    budget: { amount: 10, period: 'day' },
    limits: { models: { 'sim-*': { requestsPerMinute: 50 } } },
  });
  await fleet.admin('PUT', '/users/grace', { budget: { amount: 20, period: 'week' } });
  const { token } = await fleet.createToken({
    ...{ project: 'told', owner: 'grace', budget: { amount: 2, period: 'month' } },
    limits: { requestsPerMinute: 100, tokensPerMinute: 10_000, concurrency: 5 },
  });
  const own = async () => {
    const response = await fetch(`${fleet.control.url}/api/v1/token`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    return (await response.json()) as OwnToken;
  };
  const limits = ({ limitsLeft }: OwnToken) =>
    limitsLeft?.map(({ of, model, limit, left }) => [of, model, limit, left]);
  const budgets = ({ budgetsLeft }: OwnToken) =>
    budgetsLeft.map(({ of, spent, reserved, left }) => [of, spent, reserved, left]);
  await expect
    .poll(async () => limits(await own()))
    .toEqual([
      ['token', null, 'requestsPerMinute', 100],
      ['token', null, 'tokensPerMinute', 10_000],
      ['token', null, 'concurrency', 5],
      ['project', 'sim-*', 'requestsPerMinute', 50],
    ]);
  const held = await opened(fleet, 1, token, { model: 'sim-t3000-i200ms', max_tokens: 100 });
  const reader = held.body?.getReader();
  await reader?.read();
  const left = async () => limits(await own())?.map(([, , , each]) => each);
  await expect.poll(left).toEqual([99, expect.any(Number), 4, 49]);
  // Its 100 output tokens, and its prompt by estimate.
  await expect.poll(async () => (await left())?.[1]).toBeLessThan(9_900);
  await expect
    .poll(async () => budgets(await own()))
    .toEqual([
      ['token', 0, 1, 1],
      ['project', 0, 1, 9],
      ['owner', 0, 1, 19],
    ]);
  for (let chunks = 0; chunks < 10; chunks++) await reader?.read();
  await reader?.cancel();
  // What the stream used is known once the ledger has it.
  const [ofToken] = await vi.waitFor(async () => {
    const { budgetsLeft } = await own();
    expect(budgetsLeft.map(({ reserved }) => reserved)).toEqual([0, 0, 0]);
    expect(budgetsLeft[0]?.spent).toBeGreaterThan(0);
    return budgetsLeft;
  });
  expect(ofToken?.left).toBeCloseTo(2 - (ofToken?.spent ?? 0), 6);
  expect(ofToken?.resetsAt).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
});
