import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { chunk, type Script, type ScriptedUpstream, startStream, startUpstream } from './upstream.ts';

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

/** The behaviour of each model's upstream. */
const scripts: Record<string, Script> = {
  good: response => void sendJson(response, 200, answerBody('Hi')),
  400: refuse(400, {
    message: 'temperature is not for you',
    param: 'temperature',
    code: 'unsupported_value',
  }),
  401: refuse(401, { message: 'Incorrect API key provided: sk-upstream' }),
  404: refuse(404, { message: 'No such model', code: 'model_not_found' }),
  429: refuse(429, { message: 'Slow down', code: 'rate_limit_exceeded' }, { 'retry-after': '7' }),
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
let stack: Stack;

beforeAll(async () => {
  upstream = await startUpstream((response, request) => {
    const name = request.url?.split('/')[1] ?? '';
    return scripts[name]?.(response, request);
  });
  const names = Object.keys(scripts);
  const model = (name: string, provider = name) => ({ name, targets: [{ provider, model: 'm' }] });
  stack = await startStack({
    catalog: {
      providers: [
        ...names.map(name => ({
          name,
          kind: 'openai-compatible',
          baseUrl: `${upstream.url}/${name}/v1`,
          apiKey: { value: 'sk-upstream' },
        })),
        { name: 'unset', kind: 'openai', apiKey: { env: 'NO_SUCH_VARIABLE' } },
      ],
      models: [
        ...[...names, 'unset'].map(name => model(name)),
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

/** The data of a stream's events, in order. */
async function events(response: Response): Promise<string[]> {
  const text = await response.text();
  return text.split('\n\n').flatMap(event => (event.startsWith('data: ') ? [event.slice(6)] : []));
}

test('a stream without a first token in time, with an idle upstream, or that takes too long is a timeout', async () => {
  const slow = await ask('slow-to-start', { stream: true });
  expect(slow.status).toBe(504);
  const silent = await events(await ask('falls-silent', { stream: true }));
  expect(JSON.parse(silent.at(-1) as string).error.code).toBe('timeout');
  const long = await events(await ask('takes-too-long', { stream: true }));
  expect(JSON.parse(long.at(-1) as string).error.code).toBe('timeout');
});

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

test('an error names the provider that has no credential', async () => {
  const { error } = (await (await ask('unset')).json()) as { error: { message: string } };
  expect(error.message).toContain("'unset' is disabled");
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
