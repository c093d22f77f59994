import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RefusedCount, RefusedRequest } from '@model-gateway/canonical';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { post } from './post.ts';

/** A text that a client sends, and that the upstream repeats in its error. */
const secret = 'the code of the safe in the cellar is 20 left 7 right';

/** An upstream of every format that refuses each request with what it holds. */
const repeating = createServer(async (request, response) => {
  const body = await textOf(request);
  const message = `Bad value near ${body.slice(body.indexOf('the code'), body.indexOf('right') + 5)}: see sk-live-${'a1'.repeat(20)}.`;
  response.writeHead(422, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message, code: 422 } }),
  );
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

let simulator: StartedSimulator;
let stack: Stack;
beforeAll(async () => {
  simulator = await startSimulator();
  await new Promise<void>(resolve => repeating.listen(0, '127.0.0.1', resolve));
  const upstream = `http://127.0.0.1:${(repeating.address() as AddressInfo).port}`;
  const one = (provider: string, model: string) => [{ provider, model }];
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'sim', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` },
        { name: 'chat', kind: 'openai-compatible', baseUrl: `${upstream}/v1` },
        { name: 'messages', kind: 'anthropic', baseUrl: upstream, apiKey: { value: 'sk-of-test' } },
        { name: 'gemini', kind: 'gemini', baseUrl: `${upstream}/v1beta`, apiKey: { value: 'sk-of-test' } },
      ],
      models: [
        { name: 'sim-fast', targets: one('sim', 'sim-fast') },
        {
          name: 'steady',
          targets: [
            { provider: 'sim', model: 'fault-503' },
            { provider: 'sim', model: 'sim-fast' },
          ],
        },
        { name: 'to-chat', targets: one('chat', 'x') },
        { name: 'to-messages', targets: one('messages', 'x') },
        { name: 'to-gemini', targets: one('gemini', 'x') },
      ],
      projects: [{ name: 'quiet', storeErrors: false }],
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  await simulator?.close();
  repeating.close();
});

const messages = [{ role: 'user', content: secret }];
const contents = [{ role: 'user', parts: [{ text: secret }] }];

/** A request in each format that the model of each upstream is asked. */
const requests: [string, (model: string) => [path: string, body: object]][] = [
  ['chat', model => ['/v1/chat/completions', { model, messages }]],
  ['a stream of chat', model => ['/v1/chat/completions', { model, messages, stream: true }]],
  ['messages', model => ['/v1/messages', { model, messages, max_tokens: 9 }]],
  ['responses', model => ['/v1/responses', { model, input: secret }]],
  ['generate content', model => [`/v1beta/models/${model}:generateContent`, { contents }]],
];
const upstreams = ['to-chat', 'to-messages', 'to-gemini'];

test.each(requests.flatMap(([format, of]) => upstreams.map(model => [format, model, of] as const)))(
  'a failed attempt of %s at %s keeps the status and the message, without the prompt and without secrets',
  async (_format, model, of) => {
    const [path, body] = of(model);
    const { headers } = await post(stack, path, body);
    const [record] = await stack.recordsOf(headers.get('x-request-id'));
    expect(record).toMatchObject({ outcome: 'failed', upstreamStatus: 422 });
    const said = record?.upstreamMessage ?? '';
    expect(said).toMatch(/^Bad value near \[…\]: see .*\[redacted\]/);
    expect(said).not.toContain('a1a1a1');
    for (let i = 0; i + 20 <= secret.length; i++) expect(said).not.toContain(secret.slice(i, i + 20));
  },
);

test('a project that stores no messages keeps the status alone', async () => {
  const token = await stack.addToken({ id: 'quiet', project: 'quiet' });
  const body = { model: 'to-chat', messages };
  const { headers } = await post(stack, '/v1/chat/completions', body, { authorization: `Bearer ${token}` });
  const [record] = await stack.recordsOf(headers.get('x-request-id'));
  expect(record).toMatchObject({ upstreamStatus: 422 });
  expect(record).not.toHaveProperty('upstreamMessage');
});

test('an attempt that another one followed is told apart, and one that ended the request is not', async () => {
  const ask = async (model: string) =>
    (await post(stack, '/v1/chat/completions', { model, messages })).headers.get('x-request-id');
  const records = await stack.recordsOf(await ask('steady'), 2);
  const failed = records.find(({ outcome }) => outcome === 'failed');
  expect(failed).toMatchObject({ upstreamStatus: 503 });
  await vi.waitFor(() => expect(stack.followed).toContain(failed?.id));
  const [only] = await stack.recordsOf(await ask('to-chat'));
  const next = await stack.recordsOf(await ask('sim-fast'));
  expect(next).toHaveLength(1);
  expect(stack.followed).not.toContain(only?.id);
});

test('requests that the gateway refuses are counted, and a few are recorded, whatever the format', async () => {
  const none = await stack.addToken({ id: 'none', project: 'lab', owner: 'ada', models: [] });
  const limited = await stack.addToken({ id: 'limited', project: 'lab', limits: { requestsPerMinute: 1 } });
  const refused: Record<string, number> = {};
  for (const [, of] of requests) {
    const [path, body] = of('sim-fast');
    for (const token of [none, limited, 'sk-unknown']) {
      const headers = { authorization: `Bearer ${token}`, 'x-goog-api-key': token };
      const { status } = await post(stack, path, body, headers);
      const id = token === none ? 'none' : token === limited ? 'limited' : '';
      if (status >= 400) refused[`${id} ${status}`] = (refused[`${id} ${status}`] ?? 0) + 1;
    }
  }
  // The format of Google answers a wrong key with another status.
  expect((refused[' 401'] ?? 0) + (refused[' 400'] ?? 0)).toBe(requests.length);
  expect(refused['limited 429']).toBe(requests.length - 1);
  const counts = () => {
    const latest = new Map<string, RefusedCount>();
    for (const record of stack.refused) {
      if (record.refused !== 'count') continue;
      const { start, tokenId, status, model, reason } = record;
      latest.set(JSON.stringify([start, tokenId, status, model, reason]), record);
    }
    const sums: Record<string, number> = {};
    for (const { tokenId, status, count } of latest.values())
      if (['none', 'limited', ''].includes(tokenId))
        sums[`${tokenId} ${status}`] = (sums[`${tokenId} ${status}`] ?? 0) + count;
    return sums;
  };
  await vi.waitFor(() => expect(counts()).toEqual(refused), { timeout: 20_000 });
  const recorded = stack.refused.filter((record): record is RefusedRequest => record.refused === 'request');
  const ofLimited = recorded.filter(({ tokenId }) => tokenId === 'limited');
  expect(ofLimited.length).toBeGreaterThan(0);
  for (const record of ofLimited)
    expect(record).toMatchObject({ status: 429, reason: 'rate-limited', project: 'lab', model: 'sim-fast' });
  expect(recorded.find(({ tokenId }) => tokenId === 'none')).toMatchObject({ owner: 'ada', project: 'lab' });
  expect(recorded.every(({ tokenId }) => tokenId !== '')).toBe(true);
  expect(JSON.stringify(stack.refused)).not.toContain(secret.slice(0, 20));
});
