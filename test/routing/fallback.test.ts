import { afterAll, beforeAll, expect, test } from 'vitest';
import { see } from '../conformance/see.ts';
import { formats } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { type ScriptedError, ScriptedUpstream } from './scripted-upstream.ts';

const upstreams = { broken: new ScriptedUpstream(), spare: new ScriptedUpstream() };
let stack: Stack;

beforeAll(async () => {
  const providers = await Promise.all(
    Object.entries(upstreams).map(async ([name, upstream]) => ({
      name,
      kind: 'openai-compatible',
      baseUrl: await upstream.url(),
    })),
  );
  const spare = (name: string) => ({ name, targets: [{ provider: 'spare', model: `${name}-up` }] });
  // Each model has a target of its own, so that no test meets a rest that another one caused.
  const models = Array.from({ length: 40 }, (_, at) => ({
    name: `m${at}`,
    targets: [{ provider: 'broken', model: `up${at}` }],
    fallbacks: {
      contextLength: ['long'],
      contentPolicy: ['open'],
      rateLimit: ['busy', 'cheap'],
      outage: ['local'],
    },
  }));
  stack = await startStack({
    catalog: {
      providers,
      models: [
        ...models,
        ...['long', 'open', 'cheap', 'local'].map(spare),
        { name: 'busy', targets: [{ provider: 'broken', model: 'busy' }] },
        { name: 'listed', targets: [{ provider: 'broken', model: 'listed' }], fallbacks: ['local'] },
      ],
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  for (const upstream of Object.values(upstreams)) upstream.close();
});

let used = 0;
const fresh = () => `m${used++}`;

/** Asks in the chat format while the provider fails with this error. */
async function ask(model: string, error: ScriptedError, stream = false): Promise<Response> {
  upstreams.broken.next = () => ({ does: 'fail', ...error });
  return fetch(`${stack.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${stack.token}` },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

test.each<[string, ScriptedError, string]>([
  [
    'a prompt that is too long',
    { status: 400, error: { message: 'Too long.', code: 'context_length_exceeded' } },
    'long',
  ],
  [
    'a prompt that is too long by its message',
    { status: 400, error: { message: 'prompt is too long: 9 tokens' } },
    'long',
  ],
  [
    'a prompt that is too long in the words of another vendor',
    { status: 413, error: { message: 'Your request exceeded model token limit: 8 (requested: 9)' } },
    'long',
  ],
  ['a content policy', { status: 400, error: { message: 'Filtered.', code: 'content_filter' } }, 'open'],
  [
    'a content policy in the words of another vendor',
    { status: 400, error: { message: 'Content Exists Risk', code: 'invalid_request_error' } },
    'open',
  ],
  ['a rate limit', { status: 429 }, 'cheap'],
  ['a quota', { status: 429, error: { message: 'No money.', code: 'insufficient_quota' } }, 'cheap'],
  [
    'an empty balance that is told as an invalid request',
    { status: 400, error: { message: 'Your credit balance is too low.', type: 'invalid_request_error' } },
    'cheap',
  ],
  ['an error of the provider', { status: 500 }, 'local'],
])('after %s, another model answers, and the response and the ledger name it', async (_, error, expected) => {
  for (const stream of [false, true]) {
    const model = fresh();
    const response = await ask(model, error, stream);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Hello');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-gateway-model': model,
      'x-gateway-served-model': expected,
      'x-gateway-target': `spare/${expected}-up`,
    });
    const requestId = response.headers.get('x-request-id');
    const records = () => stack.usage.filter(record => record.requestId === requestId);
    await expect
      .poll(() => records().find(({ outcome }) => outcome === 'answered'))
      .toMatchObject({
        model,
        fallback: expected,
        provider: 'spare',
        charged: true,
      });
    const failed = records().find(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject({ model, provider: 'broken', charged: false });
    expect(failed).not.toHaveProperty('fallback');
  }
});

test.each(formats)('an answer that ran out of resources is not shown to clients of %s', async format => {
  upstreams.broken.next = () => ({ does: 'answer', reason: 'insufficient_system_resource' });
  const whole = await see({ url: stack.url, token: stack.token, format, model: fresh(), stream: false });
  expect(whole).toMatchObject({ status: 200, ended: true, text: 'Hello' });
});

test.each(formats)('a fallback answers clients of %s in their format', async format => {
  const model = fresh();
  upstreams.broken.next = () => ({ does: 'fail', status: 503 });
  const seen = await see({ url: stack.url, token: stack.token, format, model, stream: true });
  expect(seen).toMatchObject({ status: 200, ended: true, text: 'Hello' });
});

test('an invalid request is not sent to another model', async () => {
  const before = upstreams.spare.requests;
  const response = await ask('m39', { status: 400, error: { message: 'Bad field.', param: 'top_p' } });
  expect([response.status, upstreams.spare.requests - before]).toEqual([400, 0]);
  expect(response.headers.get('x-gateway-served-model')).toBe('m39');
});

test('while the targets of a model rest, its fallback is asked at once', async () => {
  const rate = { status: 429, headers: { 'retry-after': '60' } };
  expect((await ask('listed', rate)).status).toBe(200);
  const before = upstreams.broken.requests;
  for (let i = 0; i < 5; i++)
    expect((await ask('listed', rate)).headers.get('x-gateway-served-model')).toBe('local');
  expect(upstreams.broken.requests).toBe(before);
});

// The last test, since the provider's key rests afterwards.
test('after a refused key, another model answers', async () => {
  const response = await ask(fresh(), { status: 401 });
  expect([response.status, response.headers.get('x-gateway-served-model')]).toEqual([200, 'local']);
});
