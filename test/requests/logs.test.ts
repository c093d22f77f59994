import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { chunk, done, type ScriptedUpstream, startStream, startUpstream } from '../faults/upstream.ts';
import { type Stack, startStack } from '../stack/stack.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let upstream: ScriptedUpstream;
let stack: Stack;
/** The headers of the last upstream request. */
let received: NodeJS.Dict<string | string[]>;
let lines: Record<string, unknown>[];
afterEach(async () => {
  await stack.stop();
  upstream.close();
});

/** Starts a gateway without a collector. */
async function start(env: Record<string, string> = {}): Promise<void> {
  upstream = await startUpstream((response, { headers }) => {
    received = headers;
    startStream(response);
    response.end(chunk('Hi') + chunk('', 'stop') + done);
  });
  lines = [];
  const sink = new Writable({
    write(text, _encoding, next) {
      lines.push(JSON.parse(String(text)));
      next();
    },
  });
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'p', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
        { name: 'far', kind: 'openai-compatible', baseUrl: `${upstream.url}/v1`, pool: 'far' },
      ],
      models: [
        { name: 'm', targets: [{ provider: 'p', model: 'm' }] },
        { name: 'without-worker', targets: [{ provider: 'far', model: 'm' }] },
      ],
    },
    env,
    log: pino(sink),
  });
}

async function ask(headers: Record<string, string> = {}, model = 'm'): Promise<void> {
  const response = await fetch(`${stack.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], stream: true }),
  });
  await response.text();
}

/** The lines of requests so far. */
const requests = () => lines.filter(({ endpoint }) => endpoint !== undefined);

test("without a collector, a client's trace is logged and passed on as it came", async () => {
  await start();
  await ask({ traceparent: parent, tracestate: 'a=1' });
  expect(received).toMatchObject({ traceparent: parent, tracestate: 'a=1' });
  await expect
    .poll(requests)
    .toMatchObject([
      { trace_id: parent.slice(3, 35), span_id: parent.slice(36, 52), msg: 'answered', client: '127.0.0.1' },
    ]);
  await ask({ traceparent: 'nonsense' });
  expect(received.traceparent).toBeUndefined();
  await expect.poll(() => requests().length).toBe(2);
  expect(requests()[1]?.trace_id).toBeUndefined();
});

test('traces may be withheld from upstreams, addresses from logs, and answered requests from both', async () => {
  await start({ GATEWAY_TRACE_UPSTREAMS: 'withhold', LOG_REQUESTS: 'errors', LOG_CLIENT: 'network' });
  await ask({ traceparent: parent });
  expect(received.traceparent).toBeUndefined();
  await ask({}, 'none');
  await expect.poll(requests).toMatchObject([{ status: 404, client: '127.0.0.0/24' }]);
});

test("a client's trace may be ignored", async () => {
  await start({ GATEWAY_TRACE_CLIENTS: 'ignore', LOG_REQUESTS: 'sampled:1', LOG_CLIENT: 'none' });
  await ask({ traceparent: parent });
  expect(received.traceparent).toBeUndefined();
  await expect.poll(() => requests().length).toBe(1);
  expect(requests()[0]).toMatchObject({ status: 200 });
  expect(requests()[0]).not.toHaveProperty('trace_id');
  expect(requests()[0]).not.toHaveProperty('client');
});

test.each([
  ['/v1/chat/completions', 503],
  ['/v1/messages', 529],
  ['/v1beta/models/without-worker:generateContent', 503],
])('the reason of an overload is a header, and is in the log and the metrics: %s', async (path, status) => {
  await start({ GATEWAY_QUEUE_MS: '200' });
  const response = await fetch(`${stack.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.token}`,
      'content-type': 'application/json',
      'vendor-version': '2023-06-01',
    },
    body: JSON.stringify(
      path.startsWith('/v1beta')
        ? { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
        : { model: 'without-worker', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
    ),
  });
  await response.text();
  expect([response.status, response.headers.get('x-gateway-reason')]).toEqual([status, 'no_worker']);
  await expect.poll(requests).toEqual([expect.objectContaining({ kind: 'overloaded', reason: 'no_worker' })]);
  expect(await stack.metrics()).toMatch(/gateway_errors_total\{.*reason="no_worker".*\} 1\n/);
});
