import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { ManualClock } from '@model-gateway/clock/testing';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { post as postTo } from './post.ts';

let simulator: StartedSimulator;
/** The time of a simulator whose answers wait until a test lets them go on. */
const pace = new ManualClock();
let held: StartedSimulator;
let stack: Stack;
beforeAll(async () => {
  simulator = await startSimulator();
  held = await startSimulator({ clock: pace });
  const targets = (model: string) => [{ provider: 'sim', model }];
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'sim', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` },
        { name: 'held', kind: 'openai-compatible', baseUrl: `${held.url}/v1` },
      ],
      models: [
        { name: 'sim-*', targets: targets('sim-*') },
        { name: 'held', targets: [{ provider: 'held', model: 'sim-t10-i100ms' }] },
      ],
      projects: [{ name: 'small', limits: { models: { 'sim-t7*': { requestsPerMinute: 2 } } } }],
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  await simulator?.close();
  await held?.close();
});

async function post(path: string, body: object, token: string) {
  const { json, ...answer } = await postTo(stack, path, body, { authorization: `Bearer ${token}` });
  return { ...answer, body: json };
}

const messages = [{ role: 'user', content: 'Hi' }];
const chat = (token: string, model = 'sim-t3', more = {}) =>
  post('/v1/chat/completions', { model, messages, ...more }, token);

describe('requests per minute', () => {
  test('are refused over the limit, and the headers tell what is left', async () => {
    const token = await stack.addToken({ id: 'requests', limits: { requestsPerMinute: 2 } });
    const first = await chat(token);
    expect([first.status, limitHeadersOf(first)]).toEqual([
      200,
      {
        'x-ratelimit-limit-requests': '2',
        'x-ratelimit-remaining-requests': '1',
        'x-ratelimit-reset-requests': expect.stringMatching(/^(60|61)s$/),
      },
    ]);
    expect((await chat(token)).status).toBe(200);
    const refused = await chat(token);
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: {
          message: expect.stringMatching(
            /^This token has reached its limit of 2 requests per minute\. Retry in \d+ s\.$/,
          ),
          type: 'requests',
          code: 'rate_limit_exceeded',
          param: null,
        },
      },
    });
    expect(limitHeadersOf(refused)).toMatchObject({ 'x-ratelimit-remaining-requests': '0' });
    // OpenAI's SDK for JavaScript ignores more than 60 s.
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    // A request that is refused for another reason counts for nothing.
    expect((await chat(token, 'nothing')).status).toBe(404);
  });

  test('have the headers and the error of the messages format for its clients', async () => {
    const token = await stack.addToken({
      id: 'messages',
      limits: { requestsPerMinute: 1, tokensPerMinute: 9_000 },
    });
    const ask = () => post('/v1/messages', { model: 'sim-t3', max_tokens: 50, messages }, token);
    const first = await ask();
    expect(limitHeadersOf(first)).toEqual({
      'anthropic-ratelimit-requests-limit': '1',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      'anthropic-ratelimit-tokens-limit': '9000',
      'anthropic-ratelimit-tokens-remaining': expect.stringMatching(/^89\d\d$/),
      'anthropic-ratelimit-tokens-reset': expect.any(String),
    });
    const reset = Date.parse(first.headers.get('anthropic-ratelimit-requests-reset') ?? '');
    expect(reset - Date.now()).toBeGreaterThan(50_000);
    expect(reset - Date.now()).toBeLessThan(65_000);
    expect(await ask()).toMatchObject({
      status: 429,
      body: { type: 'error', error: { type: 'rate_limit_error' } },
    });
  });

  test('of a model within a project count for all its tokens', async () => {
    const [one, two] = [
      await stack.addToken({ id: 'one', project: 'small' }),
      await stack.addToken({ id: 'two', project: 'small' }),
    ];
    expect((await chat(one, 'sim-t71')).status).toBe(200);
    expect((await chat(two, 'sim-t72')).status).toBe(200);
    expect(await chat(two, 'sim-t71')).toMatchObject({
      status: 429,
      body: {
        error: { message: expect.stringContaining("This project for the model 'sim-t7*' has reached") },
      },
    });
    expect((await chat(two, 'sim-t8')).status).toBe(200);
  });

  test.each([
    ['completions', '/v1/completions', { model: 'sim-t3', prompt: 'Hi' }],
    ['responses', '/v1/responses', { model: 'sim-t3', input: 'Hi' }],
    [
      'generate-content',
      '/v1beta/models/sim-t3:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }] },
    ],
    ['embeddings', '/v1/embeddings', { model: 'sim-embed', input: 'Hi' }],
  ])('are counted at the endpoint %s', async (name, path, body) => {
    const token = await stack.addToken({ id: `at ${name}`, limits: { requestsPerMinute: 1 } });
    expect((await post(path, body, token)).status).toBe(200);
    expect((await post(path, body, token)).status).toBe(429);
  });
});

test('tokens per minute are reserved by the maximum of a request, and corrected by what it used', async () => {
  const token = await stack.addToken({ id: 'tokens', limits: { tokensPerMinute: 1_000 } });
  const { status, headers } = await chat(token, 'sim-t20', { max_tokens: 900 });
  expect(status).toBe(200);
  expect(Number(headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(100);
  await expect
    .poll(async () =>
      Number((await chat(token, 'sim-t1', { max_tokens: 1 })).headers.get('x-ratelimit-remaining-tokens')),
    )
    .toBeGreaterThan(700);
  const large = await chat(token, 'sim-t1', { max_tokens: 5_000 });
  expect(large).toMatchObject({
    status: 429,
    body: {
      error: {
        message: expect.stringMatching(/limit of 1000 tokens per minute, and this request may need 50\d\d/),
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
  });
  // SDKs obey this, and would retry by the status.
  const told = ({ headers }: { headers: Headers }) =>
    ['retry-after', 'x-should-retry'].map(name => headers.get(name));
  expect(told(large)).toEqual([null, 'false']);
  for (const [path, body] of [
    ['/v1/messages', { model: 'sim-t1', max_tokens: 5_000, messages }],
    [
      '/v1beta/models/sim-t1:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 5_000 } },
    ],
  ] as const) {
    const refused = await post(path, body, token);
    expect([refused.status, ...told(refused)]).toEqual([429, null, 'false']);
  }
  await chat(token, 'sim-t1', { max_tokens: 600 });
  await chat(token, 'sim-t500', { max_tokens: 600 });
  const later = await chat(token, 'sim-t1', { max_tokens: 600 });
  expect([later.status, ...told(later)]).toEqual([429, expect.stringMatching(/^\d+$/), null]);
});

test('running requests are limited, and the next one passes when one has ended', async () => {
  const token = await stack.addToken({ id: 'running', limits: { concurrency: 2 } });
  const both = [chat(token, 'held'), chat(token, 'held')];
  await expect.poll(() => held.requests.length).toBe(2);
  expect((await chat(token)).status).toBe(429);
  await pace.advance(1_000);
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  await expect.poll(async () => (await chat(token)).status).toBe(200);
});

test('a client that leaves gives its place back', async () => {
  const token = await stack.addToken({ id: 'leaves', limits: { concurrency: 1 } });
  const leaving = new AbortController();
  const stream = await fetch(`${stack.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ model: 'sim-t3000-i20ms', messages, stream: true }),
    signal: leaving.signal,
  });
  expect(stream.status).toBe(200);
  expect((await chat(token)).status).toBe(429);
  leaving.abort();
  await expect.poll(async () => (await chat(token)).status).toBe(200);
});

describe.concurrent("the vendors' SDKs retry as they are told", () => {
  test('openai', async ({ expect }) => {
    const apiKey = await stack.addToken({ id: 'openai sdk', limits: { concurrency: 1 } });
    const client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey, maxRetries: 5 });
    const ask = () =>
      client.chat.completions.create({ model: 'sim-t10-i50ms', messages: [{ role: 'user', content: 'Hi' }] });
    const answers = await Promise.all([ask(), ask()]);
    expect(answers.map(({ choices }) => choices[0]?.finish_reason)).toEqual(['stop', 'stop']);
  });

  test('anthropic', async ({ expect }) => {
    const apiKey = await stack.addToken({ id: 'anthropic sdk', limits: { concurrency: 1 } });
    const client = new Anthropic({ baseURL: stack.url, apiKey, maxRetries: 5 });
    const ask = () =>
      client.messages.create({
        model: 'sim-t10-i50ms',
        max_tokens: 20,
        messages: [{ role: 'user', content: 'Hi' }],
      });
    const answers = await Promise.all([ask(), ask()]);
    expect(answers.map(answer => answer.stop_reason)).toEqual(['end_turn', 'end_turn']);
  });

  test('google', async ({ expect }) => {
    const apiKey = await stack.addToken({ id: 'google sdk', limits: { concurrency: 1 } });
    const retryOptions = { attempts: 6 };
    const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: stack.url, retryOptions } });
    const ask = () => client.models.generateContent({ model: 'sim-t10-i50ms', contents: 'Hi' });
    const answers = await Promise.all([ask(), ask()]);
    expect(answers.map(({ candidates }) => candidates?.[0]?.finishReason)).toEqual(['STOP', 'STOP']);
  });
});

test("the vendors' SDKs do not retry a request that a limit of tokens never lets pass", async () => {
  const apiKey = await stack.addToken({ id: 'never', limits: { tokensPerMinute: 100 } });
  let asked = 0;
  const counting: typeof fetch = (...args) => {
    asked++;
    return fetch(...args);
  };
  const openai = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey, fetch: counting });
  const input = [{ role: 'user' as const, content: 'Hi' }];
  const refused = openai.chat.completions.create({ model: 'sim-t1', max_tokens: 500, messages: input });
  await expect(refused).rejects.toMatchObject({ status: 429, type: 'tokens', code: 'rate_limit_exceeded' });
  expect(asked).toBe(1);
  const anthropic = new Anthropic({ baseURL: stack.url, apiKey, fetch: counting });
  const alsoRefused = anthropic.messages.create({ model: 'sim-t1', max_tokens: 500, messages: input });
  await expect(alsoRefused).rejects.toMatchObject({ status: 429 });
  expect(asked).toBe(2);
});

function limitHeadersOf({ headers }: { headers: Headers }): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.includes('ratelimit')));
}
