import type { SpendingAnswer, SpendingQuestion } from '@model-gateway/access';
import { answerQuestions, type Bus, connectBus, controlQueue, spendingSubjects } from '@model-gateway/bus';
import { urlFor } from '@model-gateway/bus/testing';
import { type SentAnswer, type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { until } from '../until.ts';

/** In US dollars. */
const perToken = 0.001;
/** The budget of each token, in US dollars. */
const amount = 1;
const parallel = 200;

/** Models with answers of 5 and of 100 tokens. */
const short = 'sim-t5';
const long = 'sim-t100';

let simulator: StartedSimulator;
let stack: Stack;
let ledger: Bus;
beforeAll(async () => {
  simulator = await startSimulator();
  const price = { input: 0, output: perToken * 1e6 };
  stack = await startStack({
    catalog: {
      providers: providersAt(simulator.url),
      models: ['chat', 'messages', 'generate-content', 'responses'].flatMap(provider => [
        {
          name: `${provider}/bounded-*`,
          targets: [{ provider, model: '*' }],
          price,
          limits: { maxOutput: 100 },
        },
        { name: `${provider}/*`, targets: [{ provider, model: '*' }], price },
      ]),
      projects: [{ name: 'lab', budget: { amount: 100, period: 'total' } }],
    },
  });
  ledger = await connectBus({ url: urlFor(stack.nats.url, 'control'), name: 'control' });
  answerQuestions(ledger, { subjects: spendingSubjects, queue: controlQueue }, async question =>
    answerOf(question as SpendingQuestion),
  );
});
afterAll(async () => {
  await ledger?.close();
  await stack?.stop();
  await simulator?.close();
});

/** Returns what the ledger has of a token or a project, by its id or name, in US dollars. */
const costOf = (of: string) =>
  stack.usage
    .filter(({ charged, tokenId, project }) => charged && [tokenId, project].includes(of))
    .reduce((sum, { usage }) => sum + (usage?.output ?? 0) * perToken, 0);

/** Answers as control does, from the records that the ledger has. */
function answerOf({ totals, attempts }: SpendingQuestion): SpendingAnswer {
  const known = new Set(stack.usage.map(({ id }) => id));
  return {
    spent: totals.map(({ key }) => costOf((JSON.parse(key) as [kind: string, id: string])[1])),
    recorded: attempts.filter(id => known.has(id)),
    lagMs: 0,
  };
}

interface Requested {
  model: string;
  stream: boolean;
  maximum: number | undefined;
}

const user = { role: 'user', content: 'Hi' };
const requests = {
  chat: ({ model, stream, maximum: max_tokens }: Requested) => ({
    path: '/v1/chat/completions',
    body: { model, stream, max_tokens, messages: [user] },
  }),
  completions: ({ model, stream, maximum: max_tokens }: Requested) => ({
    path: '/v1/completions',
    body: { model, stream, max_tokens, prompt: 'Hi' },
  }),
  messages: ({ model, stream, maximum: max_tokens }: Requested) => ({
    path: '/v1/messages',
    body: { model, stream, max_tokens, messages: [user] },
  }),
  'generate-content': ({ model, stream, maximum: maxOutputTokens }: Requested) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens } },
  }),
  responses: ({ model, stream, maximum: max_output_tokens }: Requested) => ({
    path: '/v1/responses',
    body: { model, stream, max_output_tokens, store: false, input: 'Hi' },
  }),
} satisfies Record<string, (wanted: Requested) => { path: string; body: object }>;
type Format = keyof typeof requests;

function send(token: string, { path, body }: { path: string; body: object }): Promise<Response> {
  return fetch(stack.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify(body),
  });
}

async function ask(
  format: Format,
  token: string,
  wanted: Requested,
): Promise<{ status: number; text: string }> {
  const response = await send(token, requests[format](wanted));
  return { status: response.status, text: await response.text() };
}

const answers = async () => (await (await fetch(`${simulator.url}/answers`)).json()) as SentAnswer[];

/** Returns what the upstream has sent since `before` answers, in US dollars, and true if all of them are complete. */
async function sentSince(before: number): Promise<{ cost: number; isWhole: boolean }> {
  const all = (await answers()).slice(before);
  return {
    cost: all.reduce((sum, { sent }) => sum + sent * perToken, 0),
    isWhole: all.every(({ ended }) => ended),
  };
}

/**
 * Makes short answers for 15 cents, one after another, and then 200 long ones at once, of a token with a dollar; returns the statuses of these. In
 * the end the upstream has sent no more than a dollar and one reservation, and the ledger has all of it.
 */
async function spend(format: Format, token: string, id: string, wanted: Requested): Promise<number[]> {
  const before = (await answers()).length;
  // The same model, since it is the answers of one that others are expected to be like.
  const brief = { ...wanted, maximum: format === 'responses' ? 16 : 5 };
  // The one before may not be settled yet.
  for (let spent = 0; spent < 0.15; spent += brief.maximum * perToken)
    await until('a short answer', async () => (await ask(format, token, brief)).status === 200);
  const all = await Promise.all(Array.from({ length: parallel }, () => ask(format, token, wanted)));
  const { cost, isWhole } = await sentSince(before);
  const answered = all.filter(({ status }) => status === 200).length;
  const seen = `${answered} were answered, and the ledger has $${costOf(id)}`;
  expect(cost, seen).toBeLessThan(amount + 100 * perToken);
  expect(cost).toBeGreaterThan(0.2);
  if (isWhole) await until('the ledger has what was sent', () => Math.abs(costOf(id) - cost) < 1e-9);
  return all.map(({ status }) => status);
}

type Case = [format: Format, provider: string, how: string];
const unstated: Case[] = [
  ['chat', 'chat', 'passed on'],
  ['chat', 'messages', 'translated'],
  ['completions', 'chat', 'translated'],
  ['generate-content', 'generate-content', 'passed on'],
  ['generate-content', 'chat', 'translated'],
  ['responses', 'responses', 'passed on'],
  ['responses', 'chat', 'translated'],
];
const stated: Case[] = [
  ['chat', 'chat', 'passed on'],
  ['completions', 'chat', 'translated'],
  ['messages', 'messages', 'passed on'],
  ['messages', 'chat', 'translated'],
  ['generate-content', 'generate-content', 'passed on'],
  ['responses', 'chat', 'translated'],
];

let last = 0;
/** Makes a token with a dollar, and names a model of its own: nobody knows yet how long that one's answers are. */
async function newSpender(): Promise<{ id: string; token: string; model: string }> {
  const id = `spender-${++last}`;
  const token = await stack.addToken({ id, budget: { amount, period: 'total' } });
  return { id, token, model: `${long}-x${last}` };
}

test.each(stated.flatMap(each => [[...each, 'whole'] as const, [...each, 'streamed'] as const]))(
  'a dollar lasts for as many %s requests of %s that are %s as it pays, %s and with a maximum',
  async (...of) => {
    const [format, provider, , stream] = of;
    const { id, token, model } = await newSpender();
    const wanted = { model: `${provider}/${model}`, stream: stream === 'streamed', maximum: 100 };
    const statuses = await spend(format, token, id, wanted);
    // 0.85 are left after the short ones, of which each of the long ones may take 0.1.
    expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(8);
  },
);

test.each(unstated.flatMap(each => [[...each, 'whole'] as const, [...each, 'streamed'] as const]))(
  'a dollar lasts for no more %s requests of %s that are %s than it pays, %s and without a maximum',
  async (...of) => {
    const [format, provider, , stream] = of;
    const { id, token, model } = await newSpender();
    const wanted = { model: `${provider}/${model}`, stream: stream === 'streamed', maximum: undefined };
    const statuses = await spend(format, token, id, wanted);
    // One at a time, since each may cost more than is left.
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
  },
);

test('where the maximum of the model is known, that is reserved for each whole answer', async () => {
  const { id, token, model } = await newSpender();
  const wanted = { model: `chat/bounded-${model}`, stream: false, maximum: undefined };
  const statuses = await spend('chat', token, id, wanted);
  expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(8);
});

test('a stream that costs more than is left ends with an error', async () => {
  const { id, token } = await newSpender();
  const wanted = { model: 'chat/sim-t5000-i1ms', stream: true, maximum: undefined };
  const { status, text } = await ask('chat', token, wanted);
  expect(status).toBe(200);
  expect(text).toContain('"code":"insufficient_quota"');
  expect(text).not.toContain('[DONE]');
  await until('the ledger has the stream', () => costOf(id) > 0);
  expect(costOf(id)).toBeLessThan(amount * 1.3);
});

test('several answers to one request count each', async () => {
  const { token } = await newSpender();
  const before = (await answers()).length;
  const body = { model: `chat/bounded-${long}`, n: 4, messages: [user] };
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const response = await send(token, { path: '/v1/chat/completions', body });
      await response.text();
      return response.status;
    }),
  );
  expect(statuses).toContain(200);
  expect((await sentSince(before)).cost).toBeLessThan(amount + 4 * 100 * perToken);
});

test('one token of a project leaves its budget to the others, whatever maximum it asks for', async () => {
  const greedy = await stack.addToken({ id: 'greedy', project: 'lab' });
  const modest = await stack.addToken({ id: 'modest', project: 'lab' });
  const endless = { model: 'chat/sim-t5000-i20ms', stream: true, maximum: 1e15 };
  const running = await send(greedy, requests.chat(endless));
  expect(running.status).toBe(200);
  const reader = running.body?.getReader();
  await reader?.read();
  const wanted = { model: `chat/${short}`, stream: false, maximum: 1_000 };
  expect((await ask('chat', modest, wanted)).status).toBe(200);
  const refused = await ask('chat', modest, { ...wanted, maximum: 50_000 });
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text).error).toMatchObject({
    message: expect.stringContaining('may reserve a quarter of the budget of this project, $100'),
    code: 'rate_limit_exceeded',
  });
  await reader?.cancel();
});
