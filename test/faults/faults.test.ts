import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import {
  chunk,
  done,
  type Script,
  type ScriptedUpstream,
  startRawUpstream,
  startStream,
  startUpstream,
} from './upstream.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const answerBody = (content: string) =>
  JSON.stringify({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
  });
const sendJson = (response: Parameters<Script>[0], status: number, body: string, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
const refuse =
  (status: number, error: object, headers = {}): Script =>
  response =>
    void sendJson(response, status, JSON.stringify({ error }), headers);
const stream =
  (...pieces: string[]): Script =>
  response => {
    startStream(response);
    response.end(pieces.join(''));
  };

/** The behaviour of each model's upstream. */
const scripts: Record<string, Script> = {
  good: (response, request) =>
    request.headers.accept === 'text/event-stream'
      ? stream(chunk('Hi'), chunk('', 'stop'), done)(response, request)
      : void sendJson(response, 200, answerBody('Hi')),
  'no-done': stream(chunk('Hi'), chunk('', 'stop')),
  truncated: stream(chunk('Hi')),
  'cut-in-event': stream(chunk('Hi'), chunk('there').slice(0, 40)),
  empty: stream(),
  malformed: stream(chunk('Hi'), 'data: {"choices": [}\n\n', chunk('', 'stop'), done),
  'error-event': stream(chunk('Hi'), 'data: {"error":{"message":"GPU on fire","code":"boom"}}\n\n'),
  'error-first': stream('data: {"error":{"message":"GPU on fire","code":"boom"}}\n\n'),
  reset: async response => {
    startStream(response);
    response.write(chunk('Hi'));
    await sleep(50);
    response.socket?.resetAndDestroy();
  },
  'reset-at-once': response => void response.socket?.resetAndDestroy(),
  'body-malformed': response => void sendJson(response, 200, '{"choices": ['),
  'body-error': response => void sendJson(response, 200, '{"error":{"message":"nope"}}'),
  'body-short': response => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
    response.write('{"choices"');
    setTimeout(() => response.destroy(), 20);
  },
  400: refuse(400, {
    message: 'temperature is not for you',
    param: 'temperature',
    code: 'unsupported_value',
  }),
  401: refuse(401, { message: 'Incorrect API key provided: sk-upstream' }),
  404: refuse(404, { message: 'No such model', code: 'model_not_found' }),
  429: refuse(
    429,
    { message: 'Slow down', code: 'rate_limit_exceeded' },
    { 'retry-after': '7', 'x-request-id': 'up-1' },
  ),
  quota: refuse(429, { message: 'No credit', code: 'insufficient_quota' }),
  500: refuse(500, { message: 'Oops' }),
  503: refuse(503, { message: 'Full' }),
  html: response =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>bad gateway</html>'),
  silent: () => {},
  'silent-after-first': response => {
    startStream(response);
    response.write(chunk('Hi'));
  },
  endless: async response => {
    startStream(response);
    while (!response.destroyed) {
      response.write(chunk('x'.repeat(1000)));
      await sleep(1);
    }
  },
};

let upstream: ScriptedUpstream;
let raw: ScriptedUpstream;
let stack: Stack;
const dead = 'http://127.0.0.1:9';

beforeAll(async () => {
  upstream = await startUpstream((response, request) => {
    const name = request.url?.split('/')[1] ?? '';
    return scripts[name]?.(response, request);
  });
  raw = await startRawUpstream(socket =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-len'),
  );
  const names = Object.keys(scripts);
  const target = (provider: string) => ({ provider, model: 'm' });
  const model = (name: string, ...providers: string[]) => ({ name, targets: providers.map(target) });
  stack = await startStack({
    catalog: {
      providers: [
        ...names.map(name => ({
          name,
          kind: 'openai-compatible',
          baseUrl: `${upstream.url}/${name}/v1`,
          apiKey: { value: 'sk-upstream' },
        })),
        { name: 'dead', kind: 'openai-compatible', baseUrl: dead },
        { name: 'half-header', kind: 'openai-compatible', baseUrl: raw.url },
        { name: 'unset', kind: 'openai', apiKey: { env: 'NO_SUCH_VARIABLE' } },
      ],
      models: [
        ...names.map(name => model(name, name)),
        model('dead', 'dead'),
        model('half-header', 'half-header'),
        model('unset', 'unset'),
        ...['dead', '500', '429', '401', 'reset-at-once', 'unset', 'error-first', 'empty'].map(bad =>
          model(`${bad}-then-good`, bad, 'good'),
        ),
        model('400-then-good', '400', 'good'),
        { ...model('slow-to-start', 'silent'), timeouts: { firstToken: '300ms' } },
        { ...model('falls-silent', 'silent-after-first'), timeouts: { idle: '300ms' } },
        // On a busy machine, the first token can take longer than a second.
        { ...model('takes-too-long', 'endless'), timeouts: { total: '3s' } },
        { ...model('no-temperature', 'good'), drop: ['temperature'] },
      ],
    },
  });
});

afterAll(async () => {
  await stack?.stop();
  upstream?.close();
  raw?.close();
});

const messages = [{ role: 'user', content: 'Hi' }];

function ask(model: string, fields: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${stack.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${stack.token}` },
    body: JSON.stringify({ model, messages, ...fields }),
    ...(signal && { signal }),
  });
}

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  return ((await response.json()) as { error: Record<string, unknown> }).error;
}

/** The data of a stream's events, in order. */
async function events(response: Response): Promise<string[]> {
  const text = await response.text();
  return text.split('\n\n').flatMap(event => (event.startsWith('data: ') ? [event.slice(6)] : []));
}

describe('a stream', () => {
  test('a complete stream is passed on with its end marker', async () => {
    expect((await events(await ask('good', { stream: true }))).at(-1)).toBe('[DONE]');
  });

  test('a stream that lacks only its end marker gets one', async () => {
    const data = await events(await ask('no-done', { stream: true }));
    expect(data).toHaveLength(3);
    expect(data.at(-1)).toBe('[DONE]');
  });

  test.each(['truncated', 'cut-in-event', 'malformed', 'error-event', 'reset'])(
    'a %s stream ends with an error after its valid part, never with [DONE]',
    async model => {
      const response = await ask(model, { stream: true });
      expect(response.status).toBe(200);
      const data = await events(response);
      expect(JSON.parse(data[0] as string).choices[0].delta.content).toBe('Hi');
      expect(JSON.parse(data[1] as string).error).toMatchObject({
        type: 'server_error',
        param: null,
        code: 'upstream_error',
      });
      expect(data).toHaveLength(2);
    },
  );

  test.each(['empty', 'error-first', 'reset-at-once', 'half-header', 'dead'])(
    'a stream that fails before its first event (%s) is an error with its own status',
    async model => {
      const response = await ask(model, { stream: true });
      expect(response.status).toBe(502);
      expect(await errorOf(response)).toMatchObject({ type: 'server_error', code: 'upstream_error' });
    },
  );

  test('a stream without a first token in time, with an idle upstream, or that takes too long is a timeout', async () => {
    const slow = await ask('slow-to-start', { stream: true });
    expect(slow.status).toBe(504);
    const silent = await events(await ask('falls-silent', { stream: true }));
    expect(JSON.parse(silent.at(-1) as string).error.code).toBe('timeout');
    const long = await events(await ask('takes-too-long', { stream: true }));
    expect(JSON.parse(long.at(-1) as string).error.code).toBe('timeout');
  });
});

describe('a non-streamed response', () => {
  test.each(['body-malformed', 'body-error', 'body-short', 'dead', 'reset-at-once'])(
    'an invalid non-streamed response (%s) is an error',
    async model => {
      const response = await ask(model);
      expect(response.status).toBe(502);
      expect((await errorOf(response)).code).toBe('upstream_error');
    },
  );
});

describe('an upstream refusal', () => {
  test.each([
    ['400', 400, { message: 'temperature is not for you', param: 'temperature', code: 'unsupported_value' }],
    ['401', 502, { message: "The upstream refused the gateway's credential.", code: 'upstream_error' }],
    ['404', 404, { message: 'No such model', code: 'model_not_found' }],
    ['429', 429, { message: 'Slow down', code: 'rate_limit_exceeded' }],
    ['quota', 429, { message: 'No credit', code: 'insufficient_quota' }],
    ['500', 502, { message: 'Oops', code: 'upstream_error' }],
    ['503', 503, { message: 'Full', code: 'server_is_overloaded' }],
    ['html', 502, { message: 'The upstream answered with status 502.', code: 'upstream_error' }],
  ])(
    'an upstream refusal with %s reaches the client as %i, whole and streamed',
    async (model, status, error) => {
      for (const stream of [false, true]) {
        const response = await ask(model, { stream });
        expect(response.status).toBe(status);
        const text = await response.text();
        expect(JSON.parse(text).error).toMatchObject(error);
        expect(Object.keys(JSON.parse(text).error).sort()).toEqual(['code', 'message', 'param', 'type']);
        expect(text).not.toContain('sk-upstream');
      }
    },
  );

  test('an upstream refusal keeps its retry-after', async () => {
    expect((await ask('429')).headers.get('retry-after')).toBe('7');
  });
});

describe('failover between targets', () => {
  test.each(['dead', '500', '429', '401', 'reset-at-once', 'unset', 'error-first', 'empty'])(
    'the next target answers after a failure (%s)',
    async bad => {
      const response = await ask(`${bad}-then-good`, { stream: true });
      expect(response.status).toBe(200);
      expect((await events(response)).at(-1)).toBe('[DONE]');
    },
  );

  test('an invalid request is not sent to the next target', async () => {
    expect((await ask('400-then-good')).status).toBe(400);
  });

  test('an error names the provider that has no credential', async () => {
    const unset = await ask('unset');
    expect((await errorOf(unset)).message).toContain("'unset' is disabled");
  });
});

describe('the request to the upstream', () => {
  test("the upstream gets the client's text, with the model replaced and unsupported fields removed", async () => {
    upstream.bodies.length = 0;
    await ask('no-temperature', { temperature: 1, seed: 1, x: { y: [1.0] } });
    expect(upstream.bodies[0]).toBe(JSON.stringify({ model: 'm', messages, seed: 1, x: { y: [1.0] } }));
  });

  test('the upstream gets integers that a double cannot hold', async () => {
    upstream.bodies.length = 0;
    const body = `{"model":"good","seed":12345678901234567890,"messages":${JSON.stringify(messages)}}`;
    await fetch(`${stack.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stack.token}` },
      body,
    });
    expect(upstream.bodies[0]).toContain('"seed":12345678901234567890');
  });

  test("the upstream is asked for usage in a stream, and gets the client's other stream options", async () => {
    upstream.bodies.length = 0;
    await (await ask('good', { stream: true, stream_options: { include_obfuscation: false } })).text();
    expect(JSON.parse(upstream.bodies[0] as string).stream_options).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
  });
});

describe('a disconnected client', () => {
  test.each([
    ['before the first token of a stream', 'silent', true],
    ['while it waits for a whole answer', 'silent', false],
    ['after the first token', 'silent-after-first', true],
    ['in the middle of a fast stream', 'endless', true],
  ])('a client that disconnects %s closes its upstream within a second', async (_when, model, streamed) => {
    const [asked, left] = [upstream.asked(), upstream.left()];
    const client = new AbortController();
    const response = ask(model, { stream: streamed }, client.signal);
    response.catch(() => {});
    if (model === 'silent') await asked;
    else await (await response).body?.getReader().read();
    const at = performance.now();
    client.abort();
    await left;
    expect(performance.now() - at).toBeLessThan(5_000);
  });
});
