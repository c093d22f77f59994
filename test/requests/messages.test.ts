import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: StartedSimulator;
let stack: Stack;
/** An upstream of the format, and the requests that it received. */
let upstream: Server;
const asked: { path?: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
const limit = 100_000;

beforeAll(async () => {
  simulator = await startSimulator();
  upstream = createServer(async (request, response) => {
    asked.push({ path: request.url, headers: request.headers, body: await text(request) });
    const counts = request.url === '/v1/messages/count_tokens';
    response.writeHead(counts ? 200 : 404, { 'content-type': 'application/json' });
    response.end('{"input_tokens": 77}');
  });
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'sim', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` },
        { name: 'own', kind: 'anthropic', baseUrl: own },
      ],
      models: [
        { name: 'sim-fast', targets: [{ provider: 'sim', model: 'sim-fast' }] },
        {
          name: 'own',
          targets: [
            { provider: 'sim', model: 'sim-fast' },
            { provider: 'own', model: 'claude-x' },
          ],
        },
        { name: 'own-alone', targets: [{ provider: 'own', model: 'claude-x' }] },
      ],
    },
    env: { GATEWAY_BODY_LIMIT: String(limit) },
  });
});

afterAll(async () => {
  await stack?.stop();
  upstream?.close();
  await simulator?.close();
});

const body = { model: 'sim-fast', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] };
const version = { 'anthropic-version': '2023-06-01' };
const bearer = () => ({ authorization: `Bearer ${stack.token}` });

interface Sent {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

async function send({ path = '/v1/messages', method = 'POST', headers, body: given = body }: Sent) {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const response = await fetch(stack.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(headers ?? { ...bearer(), ...version }) },
    ...(method === 'POST' && { body: text }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  const requestId = response.headers.get('request-id');
  expect(requestId).toMatch(/^req_/);
  expect(response.headers.get('x-request-id')).toBe(requestId);
  if (!response.ok) {
    expect(answer).toEqual({
      type: 'error',
      error: expect.objectContaining({ type: expect.any(String), message: expect.any(String) }),
      request_id: requestId,
    });
  }
  return { status: response.status, headers: response.headers, ...(answer as { error?: object }) };
}

const paths = ['/v1/messages', '/v1/messages/count_tokens', '/v1/messages?beta=true'];

describe.each(paths)('the checks of %s, in order', path => {
  const large = JSON.stringify({ ...body, system: 'x'.repeat(limit) });

  test('the credential is checked first', async () => {
    const wrong: Record<string, string>[] = [{}, { 'x-api-key': 'nope' }, { authorization: 'Bearer nope' }];
    for (const headers of wrong) {
      expect(await send({ path, headers, body: 'null' })).toMatchObject({
        status: 401,
        error: { type: 'authentication_error' },
      });
    }
  });

  test('the version is checked after the credential', async () => {
    const wrongs: Record<string, string>[] = [
      {},
      { 'vendor-version': 'latest' },
      { 'vendor-version': 'x', ...version },
    ];
    for (const wrong of wrongs) {
      expect(await send({ path, headers: { ...bearer(), ...wrong }, body: large })).toMatchObject({
        status: 400,
        error: { type: 'invalid_request_error', message: expect.stringContaining('vendor-version') },
      });
    }
  });

  test('the size is checked after the version', async () => {
    expect(await send({ path, body: large })).toMatchObject({
      status: 413,
      error: { type: 'request_too_large' },
    });
  });

  test('the JSON is checked after the size', async () => {
    for (const text of ['', 'null', '[]', '1e999', '{', '{"model":"a","model":"b"}']) {
      expect(await send({ path, body: text })).toMatchObject({
        status: 400,
        error: { type: 'invalid_request_error' },
      });
    }
  });

  test('the ranges of fields are checked after the JSON', async () => {
    expect(await send({ path, body: { ...body, model: 'none', messages: [] } })).toMatchObject({
      status: 400,
      error: { type: 'invalid_request_error', message: expect.stringMatching(/^messages: /) },
    });
  });

  test('the model is checked after the ranges', async () => {
    expect(await send({ path, body: { ...body, model: 'none' } })).toMatchObject({
      status: 404,
      error: { type: 'not_found_error', message: expect.stringContaining('none') },
    });
  });
});

describe('POST /v1/messages', () => {
  test('a request with a thread gets an error on which the SDK sends the whole history', async () => {
    expect(await send({ body: { ...body, thread: { type: 'create' } } })).toMatchObject({
      status: 400,
      error: {
        type: 'invalid_request_error',
        details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
      },
    });
  });

  test('POST /v1/messages accepts either credential and any version, and answers in its format', async () => {
    const accepted: Record<string, string>[] = [
      { 'x-api-key': stack.token, 'vendor-version': '1999-01-01' },
      { ...bearer(), ...version },
      { 'x-api-key': stack.token, authorization: 'Bearer other', ...version },
    ];
    for (const headers of accepted) {
      expect(await send({ headers })).toMatchObject({
        status: 200,
        type: 'message',
        role: 'assistant',
        usage: {
          input_tokens: expect.any(Number),
          output_tokens: expect.any(Number),
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: expect.any(Number),
        },
      });
    }
  });

  test('a stream has headers against caching and buffering', async () => {
    const response = await fetch(`${stack.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(), ...version },
      body: JSON.stringify({ ...body, stream: true }),
    });
    await response.text();
    const names = ['content-type', 'cache-control', 'x-accel-buffering', 'x-gateway-model'];
    expect(names.map(name => response.headers.get(name))).toEqual([
      'text/event-stream; charset=utf-8',
      'no-cache',
      'no',
      'sim-fast',
    ]);
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
  });

  test.each(['/v1/messages', '/v1/messages/count_tokens'])('%s refuses other methods', async path => {
    const { status, headers, error } = await send({ path, method: 'GET' });
    expect({ status, error }).toMatchObject({ status: 405, error: { type: 'invalid_request_error' } });
    expect(headers.get('allow')).toBe('POST');
  });

  test('an unknown path under /v1/messages is refused', async () => {
    expect(await send({ path: '/v1/messages/batches' })).toMatchObject({
      status: 404,
      error: { type: 'not_found_error' },
    });
  });
});

test('tokens are counted by the upstream of the format, whichever target it is', async () => {
  asked.length = 0;
  const { max_tokens: _, ...counted } = body;
  const headers = { ...bearer(), 'anthropic-beta': 'b', 'vendor-version': '2026-10-21' };
  const path = '/v1/messages/count_tokens';
  const answer = await send({ path, headers, body: { ...counted, model: 'own' } });
  expect(answer).toMatchObject({ status: 200, input_tokens: 77 });
  expect(answer.headers.get('x-gateway-estimate')).toBeNull();
  expect(asked).toMatchObject([{ headers: { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'b' } }]);
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ ...counted, model: 'claude-x' });
});

describe('messages with an upstream of the same format', () => {
  test("an upstream of messages gets a chat client's request, with a schema's numbers unchanged", async () => {
    asked.length = 0;
    const schema = '{"type":"object","maximum":12345678901234567890,"__proto__":{"a":1.0}}';
    const tool = `{"type":"function","function":{"name":"f","parameters":${schema}}}`;
    const messages = JSON.stringify(body.messages);
    const text = `{"model":"own-alone","messages":${messages},"tools":[${tool}]}`;
    await fetch(`${stack.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer() },
      body: text,
    });
    expect(asked[0]?.body).toContain(`"input_schema":${schema}`);
  });

  test("an upstream of the same format gets the client's text without signatures of other vendors", async () => {
    const said = { type: 'text', text: 'Yo', unknown: true };
    const history = (...content: object[]) => [
      ...body.messages,
      { role: 'assistant', content },
      ...body.messages,
    ];
    const foreign = history({ type: 'thinking', thinking: 'hm', signature: 'gg:Q2lR' }, said);
    const tail = ',"unknown":[ 12345678901234567890 ]}';
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      asked.length = 0;
      const request = { ...body, model: 'own-alone', messages: foreign };
      await send({ path, body: JSON.stringify(request).replace(/}$/, tail) });
      const left = { ...request, model: 'claude-x', messages: history(said) };
      expect(asked[0]?.body).toBe(JSON.stringify(left).replace(/}$/, tail));
    }
  });
});
