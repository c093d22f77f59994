import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { type Script, ScriptedUpstream } from './scripted-upstream.ts';

const time = new PassingTime();
const first = new ScriptedUpstream();
const second = new ScriptedUpstream();
let stack: Stack;

beforeAll(async () => {
  const provider = async (name: string, upstream: ScriptedUpstream) => ({
    name,
    kind: 'openai-compatible',
    baseUrl: await upstream.url(),
  });
  const targets = ['first', 'second'].map(name => ({ provider: name, model: 'm' }));
  stack = await startStack({
    catalog: {
      providers: [await provider('first', first), await provider('second', second)],
      models: [
        { name: 'plain', targets: targets.slice(0, 1) },
        { name: 'two', targets },
        { name: 'hedged', targets, hedgeAfter: '300ms' },
      ],
    },
    time,
  });
});
afterAll(async () => {
  await stack?.stop();
  first.close();
  second.close();
});

/** A prompt of a thousand words. */
const content = 'word '.repeat(1_000);

function ask(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${stack.url}/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.token}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ messages: [{ role: 'user', content }], max_tokens: 100, ...body }),
    ...(signal && { signal }),
  });
}

/** Sends requests that the upstream never answers; all leave once it has them. Returns their records. */
async function leaveAll(count: number, path: string, body: object) {
  first.next = () => ({ does: 'hang' });
  const before = { requests: first.requests, records: stack.usage.length };
  const leave = new AbortController();
  const asked = Array.from({ length: count }, () => ask(path, body, leave.signal).catch(() => undefined));
  await time.eventually(() => expect(first.requests - before.requests).toBe(count));
  leave.abort();
  await Promise.all(asked);
  await time.eventually(() => expect(stack.usage.length - before.records).toBe(count));
  return stack.usage.slice(before.records);
}

test.each([
  ['whole answers in the format of the upstream', 'chat/completions', {}],
  ['streams in the format of the upstream', 'chat/completions', { stream: true }],
  ['whole translated answers', 'messages', {}],
  ['translated streams', 'messages', { stream: true }],
])('clients that leave after the prompt are charged for it: %s', async (_, path, body) => {
  const records = await leaveAll(50, path, { model: 'plain', ...body });
  for (const record of records) {
    expect(record).toMatchObject({
      outcome: 'cancelled',
      charged: true,
      estimated: true,
      usage: { output: 0 },
    });
    expect(record.usage?.input).toBeGreaterThan(1_200);
    expect(record.usage?.input).toBeLessThan(1_400);
  }
});

/** The attempts of a request, in the order in which they began. */
async function attemptsOf(response: Response, count: number) {
  const id = response.headers.get('x-request-id');
  const found = () => stack.usage.filter(({ requestId }) => requestId === id);
  await time.eventually(() => expect(found()).toHaveLength(count));
  return found().toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

test.each<[string, Script, object]>([
  ['refused with a status uses nothing', { does: 'fail', status: 503 }, { usage: null }],
  ['broke off has an estimate', { does: 'cut' }, { estimated: true, usage: { input: expect.any(Number) } }],
])('an attempt that failed over is not charged; one that %s', async (_, script, expected) => {
  first.next = () => script;
  // Translated, so that a part of the answer is not shown.
  const response = await ask('messages', { model: 'two' });
  expect(response.status).toBe(200);
  await response.text();
  const [failed, answered] = await attemptsOf(response, 2);
  expect(failed).toMatchObject({ provider: 'first', outcome: 'failed', charged: false, ...expected });
  expect(answered).toMatchObject({ provider: 'second', outcome: 'answered', charged: true });
  expect(answered).not.toHaveProperty('estimated');
});

test('the attempt that another one of a hedged request overtook has an estimate, and is not charged', async () => {
  first.next = () => ({ does: 'hang' });
  const { requests } = first;
  const asked = ask('chat/completions', { model: 'hedged', stream: true });
  await expect.poll(() => first.requests).toBe(requests + 1);
  await time.pass(300);
  const response = await asked;
  await response.text();
  const [overtaken, answered] = await attemptsOf(response, 2);
  expect(overtaken).toMatchObject({
    provider: 'first',
    outcome: 'cancelled',
    charged: false,
    estimated: true,
  });
  expect(overtaken?.usage?.input).toBeGreaterThan(1_200);
  expect(answered).toMatchObject({ provider: 'second', outcome: 'answered', charged: true });
});
