import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../until.ts';
import { Fleet } from './fleet.ts';
import { OtlpReceiver, type ReceivedSpan, served, treeOf } from './otlp-receiver.ts';

/** A text of prompts, and a secret of the provider, neither of which may leave the way of a request. */
const prompt = 'PAPAGENO catches birds';
const providerSecret = 'sk-tamino-0123456789';

let collector: OtlpReceiver;
let fleet: Fleet;

beforeAll(async () => {
  collector = await OtlpReceiver.start();
  fleet = await Fleet.start({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=sarastro%20secret',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      GATEWAY_QUEUE_MS: '45000',
      SIMULATOR_RECORD: '1',
    },
    catalog: simulator => `providers:
  - { name: sim, kind: openai-compatible, baseUrl: "${simulator}/v1", apiKey: { value: ${providerSecret} } }
models:
  - { name: twice, price: { input: 1, output: 2 }, targets: [ { provider: sim, model: fault-500 }, { provider: sim, model: sim-t5 } ] }
  - { name: slow, targets: [ { provider: sim, model: sim-t5-f8000ms } ] }
  - { name: vectors, targets: [ { provider: sim, model: sim-d8 } ] }
`,
  });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  collector?.stop();
});

function send(path: string, body: object, headers: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${fleet.fronts[0]?.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fleet.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

const chat = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: prompt }],
  ...more,
});

/** Returns the front's log lines of a request. */
async function linesOf(requestId: string | null): Promise<Record<string, unknown>[]> {
  const lines = () =>
    fleet.fronts[0]?.log
      .split('\n')
      .filter(line => line.includes(`"requestId":"${requestId}"`))
      .map(line => JSON.parse(line)) ?? [];
  await expect.poll(() => lines().length).toBeGreaterThan(0);
  return lines();
}

const version = { 'anthropic-version': '2023-06-01' };

test('a streamed request that failed over once is one connected trace and one line', async () => {
  const client = { traceId: 'a'.repeat(31).concat('1'), spanId: 'b'.repeat(16) };
  const response = await send('/v1/chat/completions', chat('twice', { stream: true }), {
    traceparent: `00-${client.traceId}-${client.spanId}-01`,
    tracestate: 'vendor=1',
  });
  expect(await response.text()).toContain('[DONE]');
  const requestId = response.headers.get('x-request-id');
  const spans = await collector.request(requestId, 9);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([client.traceId]));
  const trees = treeOf(spans, client.spanId);
  expect(trees).toEqual([
    { 'POST /v1/chat/completions': { 'chat fault-500': served, 'chat sim-t5': served } },
  ]);

  const named = (name: string) => spans.find(span => span.name === name) as ReceivedSpan;
  expect(named('POST /v1/chat/completions')).toMatchObject({
    kind: 2,
    failed: false,
    service: 'model-gateway-front',
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'client.address': '127.0.0.1',
      'gateway.model': 'twice',
      'gateway.project': 'default',
      'gateway.attempts': 2,
    },
  });
  expect(named('chat fault-500')).toMatchObject({
    kind: 3,
    failed: true,
    attributes: {
      'gateway.attempt.cause': 'first',
      'gateway.attempt.outcome': 'failed',
      'error.type': 'upstream',
    },
  });
  expect(named('chat sim-t5')).toMatchObject({
    kind: 3,
    failed: false,
    events: ['gen_ai.first_chunk'],
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'sim-t5',
      'gen_ai.response.model': 'sim-t5',
      'gen_ai.response.id': expect.stringMatching(/^chatcmpl-/),
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gateway.attempt.cause': 'failover',
      'gateway.attempt.number': 2,
      'gateway.attempt.outcome': 'answered',
      'gateway.provider': 'sim',
      'gateway.key': 'default',
    },
  });
  const posts = spans.filter(({ name }) => name === 'POST');
  expect(posts.map(({ attributes }) => attributes['http.response.status_code']).sort()).toEqual([200, 500]);
  expect(posts.every(({ service }) => service === 'model-gateway-worker')).toBe(true);

  // The upstream was told the place of its request.
  const { headers } = (await (await fetch(`${fleet.simulator.url}/last`)).json()) as {
    headers: Record<string, string>;
  };
  const last = posts.find(({ failed }) => !failed);
  expect(headers).toMatchObject({
    traceparent: `00-${client.traceId}-${last?.spanId}-01`,
    tracestate: 'vendor=1',
  });
  expect(collector.headers['x-collector-key']).toBe('sarastro secret');

  const [line] = await linesOf(requestId);
  expect(line).toMatchObject({
    trace_id: client.traceId,
    span_id: named('POST /v1/chat/completions').spanId,
    ...{ endpoint: '/v1/chat/completions', format: 'chat', operation: 'generate', stream: true },
    ...{ model: 'twice', provider: 'sim', upstreamModel: 'sim-t5', key: 'default', outcome: 'answered' },
    ...{ attempts: 2, project: 'default', client: '127.0.0.1', status: 200, outputTokens: 5 },
    failures: [{ provider: 'sim', model: 'fault-500', cause: 'first', outcome: 'failed', error: 'upstream' }],
  });
  const { inputTokens, cost, bytes, queueMs, firstMs, ms } = line as Record<string, number>;
  expect(cost).toBeCloseTo(((inputTokens as number) + 2 * 5) / 1e6, 12);
  expect([bytes, queueMs, firstMs, ms].every(value => Number.isInteger(value))).toBe(true);
  const worker = fleet.workers[0]?.log.split('\n').find(text => text.includes('attempt failed')) ?? '{}';
  expect(JSON.parse(worker)).toMatchObject({ requestId, trace_id: client.traceId });
});

test('other formats and operations make such traces, too', async () => {
  const translated = await send('/v1/messages', { ...chat('twice'), max_tokens: 9 }, version);
  expect(await translated.json()).toMatchObject({ type: 'message' });
  const spans = await collector.request(translated.headers.get('x-request-id'), 9);
  expect(treeOf(spans, '')).toEqual([
    { 'POST /v1/messages': { 'chat fault-500': served, 'chat sim-t5': served } },
  ]);
  const vectors = await send('/v1/embeddings', { model: 'vectors', input: [prompt] });
  await vectors.json();
  expect(treeOf(await collector.request(vectors.headers.get('x-request-id'), 5), '')).toEqual([
    { 'POST /v1/embeddings': { 'embeddings sim-d8': served } },
  ]);
});

test('a background response has a trace of its own, linked to that of the request that queued it', async () => {
  const response = await send('/v1/responses', { model: 'twice', input: prompt, background: true });
  expect(await response.json()).toMatchObject({ status: 'queued' });
  const [queued] = await collector.request(response.headers.get('x-request-id'), 1);
  const run = () =>
    collector.spans.find(({ links }) => links.some(({ spanId }) => spanId === queued?.spanId));
  await expect.poll(run).toMatchObject({
    name: 'POST /v1/responses',
    parentId: '',
    links: [{ traceId: queued?.traceId }],
  });
  const { traceId } = run() as ReceivedSpan;
  await expect
    .poll(() => treeOf(collector.trace(traceId), ''))
    .toEqual([{ 'POST /v1/responses': { 'chat fault-500': served, 'chat sim-t5': served } }]);
});

test('a refused request has a span and a line without an attempt', async () => {
  const response = await send('/v1/chat/completions', chat('no such model'));
  expect(response.status).toBe(404);
  const requestId = response.headers.get('x-request-id');
  expect(await collector.request(requestId, 1)).toMatchObject([
    { failed: false, attributes: { 'http.response.status_code': 404, 'error.type': 'not-found' } },
  ]);
  expect(await linesOf(requestId)).toMatchObject([
    { status: 404, kind: 'not-found', msg: 'failed', model: '' },
  ]);
});

test('a client that leaves ends its trace', async () => {
  const leave = new AbortController();
  const asked = await upstreamAsked();
  const left = send('/v1/chat/completions', chat('slow'), {}, leave.signal).catch(() => {});
  await asked();
  leave.abort();
  await left;
  const isRoot = ({ attributes }: ReceivedSpan) => attributes['http.response.status_code'] === 499;
  await expect.poll(() => collector.spans.find(isRoot)).toBeDefined();
  const { attributes } = collector.spans.find(isRoot) as ReceivedSpan;
  const spans = await collector.request(String(attributes['gateway.request_id']), 5);
  expect(spans.find(({ name }) => name === 'chat sim-t5-f8000ms')?.attributes).toMatchObject({
    'gateway.attempt.outcome': 'cancelled',
    'error.type': 'cancelled',
  });
});

test('the attempt of a lost worker ends in the trace of the request, which goes on', async () => {
  const before = fleet.workers[0];
  const asked = await upstreamAsked();
  const answered = send('/v1/chat/completions', chat('slow', { stream: true }));
  await asked();
  await before?.kill();
  await fleet.startWorker();
  const response = await answered;
  expect(await response.text()).toContain('[DONE]');
  // The spans of the lost worker are lost with it.
  const spans = await collector.request(response.headers.get('x-request-id'), 7);
  const attempts = spans.filter(({ name }) => name.startsWith('chat '));
  expect(attempts.map(({ attributes }) => attributes)).toMatchObject([
    { 'gateway.attempt.outcome': 'lost', 'error.type': 'worker_lost' },
    { 'gateway.attempt.outcome': 'answered', 'gateway.attempt.cause': 'lost-worker' },
  ]);
});

test('neither logs nor traces hold texts or secrets', async () => {
  const logs = [...fleet.fronts, ...fleet.workers, fleet.control, fleet.simulator].map(({ log }) => log);
  for (const mark of ['PAPAGENO', providerSecret, fleet.token, fleet.adminToken, 'sarastro']) {
    expect(logs.filter(log => log.includes(mark))).toEqual([]);
    expect(collector.raw).not.toContain(mark);
  }
});

test('docs/logs.md has every field of the lines of requests', () => {
  const page = readFileSync(new URL('../../docs/logs.md', import.meta.url), 'utf8');
  const [, described = ''] = page.split('## Fields');
  const lines = (fleet.fronts[0]?.log ?? '').split('\n').filter(line => line.includes('"requestId"'));
  const fields = new Set(lines.flatMap(line => Object.keys(JSON.parse(line))));
  const ofEveryLine = ['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err'];
  expect(fields.size).toBeGreaterThan(20);
  expect(
    [...fields].filter(field => !ofEveryLine.includes(field) && !described.includes(`\`${field}\``)),
  ).toEqual([]);
});

test('a collector that fails or stops is no matter to requests, and what it lost is counted', async () => {
  collector.status = 400;
  const response = await send('/v1/chat/completions', chat('twice'));
  expect(response.status).toBe(200);
  const failed = async () =>
    /gateway_trace_spans_total\{outcome="failed"\} (\d+)/.exec(
      await (await fetch(`${fleet.fronts[0]?.opsUrl}/metrics`)).text(),
    )?.[1];
  await expect.poll(async () => Number(await failed())).toBeGreaterThan(0);
  expect(await fleet.fronts[0]?.stop()).toBe(0);
});

/** Returns a function that waits until the simulator has another request. */
async function upstreamAsked(): Promise<() => Promise<void>> {
  const { requests } = await fleet.stats();
  return async () => {
    await until('the simulator has another request', async () => (await fleet.stats()).requests !== requests);
  };
}
