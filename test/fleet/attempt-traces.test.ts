import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearer, openRaw, type RawClient, url } from '../clients/realtime-client.ts';
import { type ScriptedUpstream, startUpstream } from '../clients/realtime-upstream.ts';
import { Fleet } from './fleet.ts';
import { OtlpReceiver, type ReceivedSpan, served, treeOf } from './otlp-receiver.ts';

/** A text of prompts, which no trace may hold. */
const prompt = 'MONOSTATOS hides';

let collector: OtlpReceiver;
let upstream: ScriptedUpstream;
let fleet: Fleet;

beforeAll(async () => {
  [collector, upstream] = await Promise.all([OtlpReceiver.start(), startUpstream()]);
  fleet = await Fleet.start({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' },
    catalog: simulator => `providers:
  - { name: sim, kind: openai-compatible, baseUrl: "${simulator}/v1", batch: 2 }
  - { name: one, kind: anthropic, baseUrl: "${simulator}", apiKey: { value: any } }
  - { name: up, kind: openai, baseUrl: "${upstream.baseUrl}", apiKey: { value: sk-up } }
models:
  - { name: hedged, hedgeAfter: 100ms, targets: [ { provider: sim, model: sim-t5-f5000ms }, { provider: sim, model: sim-t5 } ] }
  - { name: single, targets: [ { provider: one, model: sim-t3 } ] }
  - { name: vectors, targets: [ { provider: sim, model: sim-d8 } ] }
  - { name: voice, targets: [ { provider: up, model: gpt-realtime } ] }
  - { name: talker, targets: [ { provider: sim, model: sim-t5 } ] }
`,
  });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await upstream?.close();
  collector?.stop();
});

/** Sends a request; resolves to its id and whole answer. */
async function send(path: string, body: object): Promise<{ id: string | null; text: string }> {
  const response = await fetch(`${fleet.fronts[0]?.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fleet.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { id: response.headers.get('x-request-id'), text: await response.text() };
}

const messages = [{ role: 'user', content: prompt }];
const attributesOf = (spans: readonly ReceivedSpan[], name: string) =>
  spans.filter(span => span.name === name).map(({ attributes }) => attributes);

test('a hedged request is one trace: the overtaken attempt ends as such, and is no failure', async () => {
  const { id, text } = await send('/v1/chat/completions', { model: 'hedged', messages, stream: true });
  expect(text).toContain('[DONE]');
  const spans = await collector.request(id, 9);
  expect(treeOf(spans, '')).toEqual([
    { 'POST /v1/chat/completions': { 'chat sim-t5-f5000ms': served, 'chat sim-t5': served } },
  ]);
  const overtaken = spans.find(({ name }) => name === 'chat sim-t5-f5000ms');
  expect(overtaken).toMatchObject({
    failed: false,
    attributes: { 'gateway.attempt.cause': 'first', 'gateway.attempt.outcome': 'overtaken' },
  });
  expect(overtaken?.attributes).not.toHaveProperty('error.type');
  expect(attributesOf(spans, 'chat sim-t5')).toMatchObject([
    { 'gateway.attempt.cause': 'hedge', 'gateway.attempt.number': 2, 'gateway.attempt.outcome': 'answered' },
  ]);
  expect(attributesOf(spans, 'POST /v1/chat/completions')).toMatchObject([{ 'gateway.attempts': 2 }]);
  // The worker closed the request of the overtaken attempt.
  const below = spans.filter(({ parentId }) => parentId === overtaken?.spanId);
  const serve = below.find(({ name }) => name === 'serve');
  const closed = spans.find(({ parentId }) => parentId === serve?.spanId);
  expect([serve?.attributes['error.type'], closed?.attributes['error.type']]).toEqual([
    'cancelled',
    'cancelled',
  ]);
});

test('an attempt that is split into several upstream requests has a span for each', async () => {
  const choices = await send('/v1/chat/completions', { model: 'single', messages, n: 3 });
  expect(JSON.parse(choices.text).choices).toHaveLength(3);
  const vectors = await send('/v1/embeddings', { model: 'vectors', input: Array(5).fill(prompt) });
  expect(JSON.parse(vectors.text).data).toHaveLength(5);
  for (const [{ id }, attempt] of [
    [choices, 'chat sim-t3'],
    [vectors, 'embeddings sim-d8'],
  ] as const) {
    const spans = await collector.request(id, 7);
    const [serve] = spans.filter(({ name }) => name === 'serve');
    expect(spans.filter(({ name }) => name === attempt)).toHaveLength(1);
    const posts = spans.filter(({ parentId }) => parentId === serve?.spanId);
    expect(posts.map(({ name }) => name)).toEqual(['POST', 'POST', 'POST']);
    expect(new Set(posts.map(({ attributes }) => attributes['gateway.attempt.id'])).size).toBe(3);
  }
});

/** Opens a session, asks for two responses and closes it. */
async function converse(model: string): Promise<RawClient> {
  const client = await openRaw(url(String(fleet.fronts[0]?.url), model), bearer(fleet.token));
  for (let asked = 0; asked < 2; asked++) {
    const after = client.events.length;
    client.say(prompt);
    await client.event('response.done', after);
  }
  client.socket.close(1_000);
  await client.closed;
  return client;
}

/** The attributes of a session that its client closed. */
const session = {
  'http.response.status_code': 101,
  'gateway.operation': 'realtime',
  'gateway.project': 'default',
  'gateway.token.name': 'first',
};

test('a realtime session at a provider is one trace with a span for each response', async () => {
  const { requestId } = await converse('voice');
  const spans = await collector.request(requestId, 5);
  const [root] = spans.filter(({ parentId }) => parentId === '');
  const [attempt] = spans.filter(({ parentId }) => parentId === root?.spanId);
  expect(root).toMatchObject({ name: 'GET /v1/realtime', failed: false, attributes: session });
  expect(attempt).toMatchObject({
    name: 'realtime gpt-realtime',
    failed: false,
    attributes: { 'gateway.attempt.outcome': 'answered', 'gateway.session.close_code': 1000 },
  });
  expect(attempt?.attributes).not.toHaveProperty('gen_ai.response.model');
  const below = spans.filter(({ parentId }) => parentId === attempt?.spanId);
  expect(below.map(({ name }) => name).toSorted()).toEqual([
    'realtime response',
    'realtime response',
    'wait for a worker',
  ]);
  const response = {
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-realtime',
    'gen_ai.response.id': expect.stringMatching(/^resp_/),
    'gen_ai.response.finish_reasons': ['completed'],
    'gen_ai.usage.input_tokens': 20,
    'gen_ai.usage.output_tokens': 10,
    'gateway.provider': 'up',
    'gateway.key': 'default',
  };
  expect(attributesOf(spans, 'realtime response')).toMatchObject([response, response]);
});

test('a realtime session whose provider leaves has the failure on each of its spans', async () => {
  const client = await openRaw(url(String(fleet.fronts[0]?.url), 'voice'), bearer(fleet.token));
  client.say('slow');
  await client.event('response.output_text.delta');
  upstream.sessions.at(-1)?.socket.terminate();
  expect((await client.closed).code).toBe(1011);
  const spans = await collector.request(client.requestId, 4);
  for (const name of ['GET /v1/realtime', 'realtime gpt-realtime', 'realtime response'])
    expect(spans.find(span => span.name === name)).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'upstream' },
    });
});

test('a realtime session that the gateway holds is one trace with an attempt for each response', async () => {
  const { requestId } = await converse('talker');
  const spans = await collector.request(requestId, 9);
  const [root] = spans.filter(({ parentId }) => parentId === '');
  expect(root).toMatchObject({ name: 'GET /v1/realtime', failed: false, attributes: session });
  const attempts = spans.filter(({ parentId }) => parentId === root?.spanId);
  for (const { spanId, ...attempt } of attempts) {
    expect(attempt).toMatchObject({
      name: 'chat sim-t5',
      attributes: { 'gen_ai.usage.output_tokens': 5, 'gateway.attempt.outcome': 'answered' },
    });
    expect(Object.assign({}, ...treeOf(spans, spanId))).toEqual(served);
  }
  expect(attempts).toHaveLength(2);
});

test('no trace holds a text', () => {
  expect(collector.raw).not.toContain('MONOSTATOS');
});
