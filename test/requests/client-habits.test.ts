import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: StartedSimulator;
let stack: Stack;
/** An upstream that answers with `answer`, a stream if it is a text, and the requests that it received. */
let upstream: Server;
const asked: { headers: IncomingHttpHeaders; body: string }[] = [];
let answer: { status: number; body: object | string } = { status: 200, body: {} };

beforeAll(async () => {
  simulator = await startSimulator();
  upstream = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: await text(request) });
    const { status, body } = answer;
    const isStream = typeof body === 'string';
    response.writeHead(status, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? body : JSON.stringify(body));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const own = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'sim', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` },
        { name: 'chat', kind: 'openai-compatible', baseUrl: `${own}/v1` },
        { name: 'responses', kind: 'openai-compatible', api: ['responses'], baseUrl: `${own}/v1` },
        { name: 'anthropic', kind: 'anthropic', baseUrl: own },
        { name: 'gemini', kind: 'gemini', baseUrl: own },
      ],
      models: [
        { name: 'sim-fast', targets: [{ provider: 'sim', model: 'sim-fast' }] },
        { name: 'house/sim', targets: [{ provider: 'sim', model: 'sim-fast' }] },
        ...['chat', 'responses', 'anthropic', 'gemini'].map(name => ({
          name,
          targets: [{ provider: name, model: 'x' }],
        })),
      ],
    },
  });
});

afterAll(async () => {
  await stack?.stop();
  upstream?.close();
  await simulator?.close();
});

const messages = [{ role: 'user', content: 'Hi' }];
const bodies = {
  chat: (model?: string) => ({ model, messages }),
  messages: (model?: string) => ({ model, max_tokens: 5, messages }),
  responses: (model?: string) => ({ model, input: 'Hi', store: false }),
  contents: () => ({ contents: [{ parts: [{ text: 'Hi' }] }] }),
};
const bearer = () => ({ authorization: `Bearer ${stack.token}` });
const version = { 'anthropic-version': '2023-06-01' };

async function send(path: string, body: object | undefined, headers: Record<string, string> = bearer()) {
  const sent = await fetch(stack.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const raw = await sent.text();
  return { status: sent.status, headers: sent.headers, raw, json: JSON.parse(raw) };
}

describe('a path as clients of other servers write it is served', () => {
  test.each<[string, () => object | undefined]>([
    ['/chat/completions', () => bodies.chat('sim-fast')],
    ['/v1/v1/chat/completions/', () => bodies.chat('sim-fast')],
    ['//v1//messages', () => bodies.messages('sim-fast')],
    ['/v1/v1/messages?beta=true', () => bodies.messages('sim-fast')],
    ['/anthropic/v1/messages/count_tokens', () => bodies.messages('sim-fast')],
    ['/openai/v1/responses', () => bodies.responses('sim-fast')],
    ['/openai/responses?api-version=2025-04-01-preview', () => bodies.responses('sim-fast')],
    ['/v1beta/openai/chat/completions', () => bodies.chat('sim-fast')],
    ['/v1/v1beta/models/sim-fast:generateContent', bodies.contents],
    ['/v1/models/', () => undefined],
    ['/openai/models?api-version=2024-10-21', () => undefined],
    ['/v1beta//models', () => undefined],
  ])('%s', async (path, body) => {
    expect((await send(path, body(), { ...bearer(), ...version })).status).toBe(200);
  });

  test.each([
    ['/openai/deployments/sim-fast/chat/completions?api-version=2024-10-21', undefined],
    ['/openai/deployments/sim-fast/chat/completions', 'another'],
    ['/openai/deployments/house/sim/chat/completions', 'another'],
    ['/openai/deployments/house%2Fsim/chat/completions?api-version=preview', undefined],
  ])('%s names the model in place of %j, with the key in api-key', async (path, model) => {
    const { status, headers } = await send(path, bodies.chat(model), { 'api-key': stack.token });
    expect(status).toBe(200);
    expect(headers.get('x-gateway-model')).toMatch(
      path.includes('house') ? /^house(\/|%2F)sim$/ : /^sim-fast$/,
    );
  });

  test('a deployment names the model of a form, too', async () => {
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.wav');
    const refused = await fetch(
      `${stack.url}/openai/deployments/nowhere/audio/transcriptions?api-version=1`,
      {
        method: 'POST',
        headers: { 'api-key': stack.token },
        body: form,
      },
    );
    expect([
      refused.status,
      ((await refused.json()) as { error: { message: string } }).error.message,
    ]).toEqual([404, expect.stringContaining('nowhere')]);
  });

  test('a session is opened at the path of Azure', async () => {
    const url = `${stack.url.replace('http', 'ws')}/openai/realtime?api-version=1&deployment=sim-fast`;
    const socket = new WebSocket(url, { headers: { 'api-key': stack.token } });
    const [first] = await once(socket, 'message');
    expect(JSON.parse(String(first))).toMatchObject({
      type: 'session.created',
      session: { model: 'sim-fast' },
    });
    socket.terminate();
  });
});

describe('a request line with a whole URL is served', () => {
  /** Returns the first line of the response. */
  async function statusOf(method: string, target: string, body?: object, more = ''): Promise<string> {
    const { port } = new URL(stack.url);
    const socket = connect(Number(port), '127.0.0.1');
    const sent = body ? JSON.stringify(body) : '';
    socket.write(
      `${method} http://gateway.example${target} HTTP/1.1\r\nhost: gateway.example\r\nauthorization: Bearer ${stack.token}\r\nanthropic-version: 2023-06-01\r\n${more || 'connection: close\r\n'}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`,
    );
    const [first] = await once(socket, 'data');
    socket.destroy();
    return String(first).split('\r\n')[0] as string;
  }

  test.each<[string, string, object | undefined]>([
    ['POST', '/v1/chat/completions', bodies.chat('sim-fast')],
    ['POST', '/v1/messages?beta=true', bodies.messages('sim-fast')],
    ['POST', '/v1/responses', bodies.responses('sim-fast')],
    ['POST', '/v1beta/models/sim-fast:generateContent', bodies.contents()],
    ['POST', '/openai/deployments/sim-fast/chat/completions?api-version=1', bodies.chat()],
    ['POST', '/v1/embeddings', { model: 'sim-fast', input: 'Hi' }],
    ['GET', '/v1/models', undefined],
    ['GET', '/healthz', undefined],
  ])('%s %s', async (method, path, body) => {
    expect(await statusOf(method, path, body)).toBe('HTTP/1.1 200 OK');
  });

  test.each(['/v1/responses', '/v1/realtime?model=sim-fast'])('an upgrade of %s', async path => {
    const upgrade =
      'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    expect(await statusOf('GET', path, undefined, upgrade)).toBe('HTTP/1.1 101 Switching Protocols');
  });
});

describe('a token beside a key of the user', () => {
  const foreign = 'sk-ant-api03-of-the-user';
  const endpoints: [string, () => object | undefined][] = [
    ['/v1/chat/completions', () => bodies.chat('chat')],
    ['/v1/messages', () => bodies.messages('anthropic')],
    ['/v1/responses', () => bodies.responses('responses')],
    ['/v1beta/models/gemini:generateContent', bodies.contents],
    ['/v1/models', () => undefined],
  ];
  const headers = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
  const value = (name: string, secret: string) => (name === 'authorization' ? `Bearer ${secret}` : secret);

  test.each(
    endpoints.flatMap(([path, body]) =>
      headers.flatMap(own =>
        headers.filter(name => name !== own).map(other => [path, own, other, body] as const),
      ),
    ),
  )('%s: in %s, the key in %s', async (path, own, other, body) => {
    answer = {
      status: 400,
      body: { error: { message: 'The upstream was asked.', type: 'invalid_request_error' } },
    };
    asked.length = 0;
    const sent = { ...version, [own]: value(own, stack.token), [other]: value(other, foreign) };
    const { status, raw } = await send(path, body(), sent);
    expect([status, raw]).toEqual(
      body() ? [400, expect.stringContaining('The upstream was asked.')] : [200, raw],
    );
    expect(JSON.stringify(asked)).not.toContain(foreign);
    expect(JSON.stringify(asked)).not.toContain(stack.token);
  });

  test('the keys of two tokens are an error, and so are two that are none', async () => {
    const second = await stack.addToken({ id: 'second' });
    const two = await send('/v1/messages', bodies.messages('sim-fast'), {
      ...bearer(),
      ...version,
      'x-api-key': second,
    });
    expect(two).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('Send one.') } },
    });
    const none = await send('/v1/messages', bodies.messages('sim-fast'), {
      ...{ authorization: `Bearer ${foreign}`, 'x-api-key': 'another' },
      ...version,
    });
    expect(none.status).toBe(401);
  });
});

describe('an unknown path is refused in the format of the client', () => {
  test.each<[string, Record<string, string>, object]>([
    ['/v1/nothing', {}, { error: { code: 'unknown_url' } }],
    ['/v1/nothing', version, { type: 'error', error: { type: 'not_found_error' } }],
    ['/v1/complete', { 'x-api-key': 'x' }, { type: 'error', error: { type: 'not_found_error' } }],
    ['/elsewhere/v1/messages', { 'vendor-version': '2023-06-01' }, { type: 'error' }],
    ['/v1/files', { 'x-goog-api-key': 'x' }, { error: { code: 404, status: 'NOT_FOUND' } }],
    ['/v1beta/files', version, { error: { code: 404, status: 'NOT_FOUND' } }],
    ['/v1/images/nothing', version, { error: { code: 'unknown_url' } }],
    ['/v1/messages/nothing', {}, { type: 'error', error: { type: 'not_found_error' } }],
  ])('%s with %j', async (path, headers, expected) => {
    const refused = await send(path, {}, headers);
    expect([refused.status, refused.json]).toEqual([404, expect.objectContaining({})]);
    expect(refused.json).toMatchObject(expected);
  });

  test.each(['/proxy/chat/completions', '/api2/v1/responses/', '/v2/embeddings'])(
    '%s with a hint',
    async path => {
      const { json } = await send(path, {});
      expect(json.error.message).toMatch(/base URL .* the gateway has \/v1\/\w/);
    },
  );
});

describe("an upstream's error of the client's format", () => {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED' };
  const quota = {
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ quotaId: 'PerDay' }],
  };
  const spent = { error_code: 'enforced_spend_limit_reached' };

  test('keeps its details', async () => {
    answer = {
      status: 402,
      body: { type: 'error', error: { type: 'billing_error', message: 'Spent.', details: spent } },
    };
    const own = await send('/v1/messages', bodies.messages('anthropic'), { ...bearer(), ...version });
    expect(own).toMatchObject({ status: 402, json: { error: { message: 'Spent.', details: spent } } });
    const other = await send('/v1/chat/completions', bodies.chat('anthropic'));
    expect([other.json.error.message, other.raw.includes('enforced')]).toEqual(['Spent.', false]);
    answer = {
      status: 429,
      body: {
        error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down.', details: [info, quota] },
      },
    };
    const google = await send('/v1beta/models/gemini:generateContent', bodies.contents());
    expect(google.json.error.details).toEqual([info, quota]);
  });

  test.each<[string, () => object, object]>([
    ['/v1/chat/completions', () => bodies.chat('chat'), { error: { type: 'invalid_request_error' } }],
    ['/v1/messages', () => bodies.messages('anthropic'), { error: { type: 'conflict_error' } }],
    ['/v1/responses', () => bodies.responses('responses'), { error: { code: 'conflict' } }],
    ['/v1beta/models/gemini:generateContent', bodies.contents, { error: { status: 'ABORTED' } }],
    ['/v1/messages', () => bodies.messages('chat'), { error: { type: 'conflict_error' } }],
  ])('with the status 409 keeps it: %s', async (path, body, expected) => {
    answer = { status: 409, body: { error: { message: 'In use.', type: 'conflict_error' } } };
    const { status, json } = await send(path, body(), { ...bearer(), ...version });
    expect(status).toBe(409);
    expect(json).toMatchObject(expected);
  });
});

describe("OpenAI's betas", () => {
  const beta = { 'openai-beta': 'responses_websockets=2026-02-06, responses=experimental' };

  test.each<[string, () => object, string | undefined]>([
    ['/v1/chat/completions', () => bodies.chat('chat'), 'responses=experimental'],
    ['/v1/responses', () => bodies.responses('responses'), 'responses=experimental'],
    ['/v1/embeddings', () => ({ model: 'chat', input: 'Hi' }), 'responses=experimental'],
    ['/v1/chat/completions', () => bodies.chat('responses'), undefined],
    ['/v1/responses', () => bodies.responses('anthropic'), undefined],
  ])('%s %o are told an upstream of the format: %j', async (path, body, expected) => {
    answer = { status: 400, body: { error: { message: 'No.' } } };
    asked.length = 0;
    await send(path, body(), { ...bearer(), ...beta });
    expect(asked.map(({ headers }) => headers['openai-beta'])).toEqual([expected]);
  });
});

test('a response in the background tells its upstream of the betas of its client', async () => {
  answer = { status: 400, body: { error: { message: 'No.' } } };
  asked.length = 0;
  const body = { model: 'responses', input: 'Hi', background: true };
  const queued = await send('/v1/responses', body, { ...bearer(), 'openai-beta': 'responses=experimental' });
  expect(queued.json.status).toBe('queued');
  await expect
    .poll(() => asked.map(({ headers }) => headers['openai-beta']))
    .toEqual(['responses=experimental']);
});

test('tools in the shape of another format reach an upstream of chat in its own', async () => {
  answer = { status: 400, body: { error: { message: 'No.' } } };
  const parameters = { type: 'object', properties: {} };
  const tools = [
    { type: 'function', name: 'a', parameters },
    { name: 'b', input_schema: parameters },
  ];
  for (const model of ['chat', 'anthropic']) {
    asked.length = 0;
    await send('/v1/chat/completions', {
      ...bodies.chat(model),
      tools,
      tool_choice: { type: 'tool', name: 'b' },
    });
    const [{ tools: sent, tool_choice: choice } = {} as never] = asked.map(({ body }) => JSON.parse(body));
    const names = sent.map(
      (tool: { name?: string; function?: { name: string } }) => tool.function?.name ?? tool.name,
    );
    expect([names, choice.function?.name ?? choice.name]).toEqual([['a', 'b'], 'b']);
  }
});

test('a stream of a responses upstream that numbers no events is numbered, stored or not', async () => {
  const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' };
  const content = [{ type: 'output_text', text: 'hi', annotations: [] }];
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'x',
    output: [{ ...item, content }],
  };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'hi' },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, content } },
    { type: 'response.completed', response: { ...response, status: 'completed' } },
  ];
  const stream = events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  answer = { status: 200, body: stream };
  for (const store of [true, false]) {
    const sent = await fetch(`${stack.url}/v1/responses`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'responses', input: 'Hi', stream: true, store }),
    });
    const numbers = [...(await sent.text()).matchAll(/"sequence_number":(\d+)/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual([0, 1, 2, 3, 4]);
  }
});
