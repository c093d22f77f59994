import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { operations } from '../../docs/generators/data-plane/document.ts';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { post as postTo } from './post.ts';

let gateway: Simulated;
/** The requests that reached the upstreams before a test. */
let before = 0;
const reached = () => gateway.simulator.requests.slice(before);

beforeAll(async () => {
  const target = (provider: string) => ({ provider, model: 'sim-fast' });
  gateway = await startSimulated(url => ({
    providers: [
      { name: 'open', kind: 'openai-compatible', baseUrl: `${url}/v1` },
      { name: 'local', kind: 'ollama', baseUrl: `${url}/v1` },
      { name: 'vendor', kind: 'openai', baseUrl: `${url}/v1`, apiKey: { value: 'key' } },
      { name: 'claude', kind: 'anthropic', baseUrl: url, apiKey: { value: 'key' } },
    ],
    models: [
      ...['open', 'local', 'vendor', 'claude'].map(name => ({ name, targets: [target(name)] })),
      { name: 'mixed', targets: [target('claude'), target('vendor'), target('open')] },
      { name: 'any/*', targets: [target('open')] },
    ],
  }));
});

beforeEach(() => {
  before = gateway.simulator.requests.length;
});

afterAll(() => gateway?.stop());

const messages = [{ role: 'user', content: 'Hi' }];

async function post(path: string, body: unknown) {
  const { status, json } = await postTo(gateway.stack, path, body);
  return { status, ...(json as { error?: Record<string, unknown>; choices?: object[] }) };
}

describe('a field out of its range', () => {
  test.each<[string, string, object, string]>([
    ['chat/completions', 'max_tokens', { max_tokens: 0 }, 'integer_below_min_value'],
    ['chat/completions', 'max_tokens', { max_tokens: -2 }, 'integer_below_min_value'],
    ['chat/completions', 'max_completion_tokens', { max_completion_tokens: 0 }, 'integer_below_min_value'],
    ['chat/completions', 'max_tokens', { max_tokens: 1.5 }, 'invalid_type'],
    ['chat/completions', 'n', { n: 129 }, 'integer_above_max_value'],
    ['chat/completions', 'n', { n: 0 }, 'integer_below_min_value'],
    ['chat/completions', 'top_logprobs', { logprobs: true, top_logprobs: 21 }, 'integer_above_max_value'],
    ['chat/completions', 'top_logprobs', { top_logprobs: -1 }, 'integer_below_min_value'],
    ['completions', 'max_tokens', { prompt: 'Hi', max_tokens: -1 }, 'integer_below_min_value'],
    ['completions', 'n', { prompt: 'Hi', n: 129 }, 'integer_above_max_value'],
    ['completions', 'logprobs', { prompt: 'Hi', logprobs: -1 }, 'integer_below_min_value'],
    ['responses', 'top_logprobs', { input: 'Hi', top_logprobs: 21 }, 'integer_above_max_value'],
  ])(
    "a field out of its range is refused by the client's name: %s: %s as %j",
    async (path, param, fields, code) => {
      const { status, error } = await post(`/v1/${path}`, { model: 'open', messages, ...fields });
      expect([status, error?.param, error?.code]).toEqual([400, param, code]);
      expect(error?.message).toMatch(new RegExp(`'${param}': expected `));
      expect(reached()).toEqual([]);
    },
  );

  test.each([
    [{ top_p: 1.1 }, 'top_p: Input should be less than or equal to 1'],
    [{ top_p: -0.1 }, 'top_p: Input should be greater than or equal to 0'],
    [{ top_k: -1 }, 'top_k: Input should be greater than or equal to 0'],
  ])('a field of messages out of its range is refused: %j', async (fields, message) => {
    const body = { model: 'open', max_tokens: 5, messages, ...fields };
    expect(await post('/v1/messages', body)).toMatchObject({ status: 400, error: { message } });
  });
});

describe.each(['max_tokens', 'max_completion_tokens'])('%s of -1', field => {
  const ask = (model: string) => post('/v1/chat/completions', { model, messages, [field]: -1 });
  const sent = () => reached().map(({ body }) => JSON.parse(body)[field]);

  test.each(['open', 'local'])('a limit of -1 reaches %s unchanged', async model => {
    expect((await ask(model)).choices?.[0]).toMatchObject({ finish_reason: 'stop' });
    expect(sent()).toEqual([-1]);
  });

  test('a limit of -1 skips the targets that do not support it', async () => {
    await ask('mixed');
    expect(reached().map(({ path }) => path)).toEqual(['/v1/chat/completions']);
    expect(sent()).toEqual([-1]);
  });

  test.each(['vendor', 'claude'])('a limit of -1 is refused for %s', async model => {
    const { status, error } = await ask(model);
    expect([status, error?.param, error?.code]).toEqual([400, field, 'integer_below_min_value']);
    expect(error?.message).toContain(`omit '${field}'`);
    expect(reached()).toEqual([]);
  });
});

const names: [what: string, name: string][] = [
  ['too long', `any/${'x'.repeat(253)}`],
  ['with a NUL', 'any/\0'],
  ['with a line feed', 'any/a\nb'],
  ['with half a character', 'any/\ud800'],
];

/** The endpoints whose JSON body names the model, with an example of it. */
const named = operations.flatMap(({ path, example }): [path: string, body: object][] =>
  example && 'model' in example ? [[path, example]] : [],
);

describe.each(names)('a model name that is %s', (_what, name) => {
  test.each(named)('an invalid model name in the body of %s is refused', async (path, body) => {
    const { status, error } = await post(path, { ...body, model: name });
    expect(status).toBe(400);
    expect(error?.param ?? error?.message).toMatch(/^model/);
  });

  test('an invalid model name in the session of a client secret is refused', async () => {
    const { status, error } = await post('/v1/realtime/client_secrets', { session: { model: name } });
    expect([status, error?.param]).toEqual([400, 'session.model']);
  });

  test('an invalid model name in a form is refused', async () => {
    const form = new FormData();
    form.set('model', name.toWellFormed());
    form.set('file', new Blob(['x']), 'a.mp3');
    const headers = { authorization: `Bearer ${gateway.stack.token}` };
    const answer = await fetch(`${gateway.stack.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers,
      body: form,
    });
    // A form holds no half of a character, and a line feed as CR LF.
    if (name.isWellFormed()) expect(await answer.json()).toMatchObject({ error: { param: 'model' } });
    expect(answer.status).toBeLessThan(500);
  });

  test.skipIf(!name.isWellFormed())('an invalid name is refused in a URL that can hold it', async () => {
    const written = encodeURIComponent(name);
    const path = await post(`/v1beta/models/${written}:generateContent`, {
      contents: [{ parts: [{ text: 'Hi' }] }],
    });
    expect(path).toMatchObject({
      status: 400,
      error: { details: [{ fieldViolations: [{ field: 'model' }] }] },
    });
    const headers = { authorization: `Bearer ${gateway.stack.token}` };
    const one = await fetch(`${gateway.stack.url}/v1/models/${written}`, { headers });
    expect([one.status, await one.json()]).toMatchObject([400, { error: { param: 'model' } }]);
    expect(await refusal(`/v1/realtime?model=${written}`)).toEqual([400, 'nosniff']);
  });

  test('an invalid model name in a responses event over a WebSocket is refused', async () => {
    const socket = new WebSocket(`${gateway.stack.url.replace('http', 'ws')}/v1/responses`, {
      headers: { authorization: `Bearer ${gateway.stack.token}` },
    });
    const told = new Promise<string>((resolve, reject) => {
      socket.on('message', data => resolve(String(data)));
      socket.on('error', reject);
    });
    await new Promise(resolve => socket.on('open', resolve));
    socket.send(JSON.stringify({ type: 'response.create', model: name, input: 'Hi' }));
    expect(JSON.parse(await told)).toMatchObject({ type: 'error', status: 400, error: { param: 'model' } });
    socket.terminate();
  });
});

test('an unknown model name is not a label of a metric', async () => {
  const asked = `nobody-has-${Date.now()}`;
  expect((await refusal(`/v1/realtime?model=${asked}`))[0]).toBe(404);
  await expect.poll(() => gateway.stack.metrics()).toMatch(/endpoint="\/v1\/realtime",model="",status="404"/);
  expect(await gateway.stack.metrics()).not.toContain(asked);
});

/** The status with which an upgrade is refused, and what forbids to guess its content. */
function refusal(path: string): Promise<[number | undefined, unknown]> {
  const socket = new WebSocket(gateway.stack.url.replace('http', 'ws') + path, {
    headers: { authorization: `Bearer ${gateway.stack.token}` },
  });
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, { statusCode, headers }) => {
      resolve([statusCode, headers['x-content-type-options']]);
      socket.terminate();
    });
    socket.on('open', () => reject(new Error('it was let in')));
    socket.on('error', () => {});
  });
}

describe('large requests within the limits', () => {
  const turns = Array.from({ length: 1_000 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `Turn ${i}: ${'words '.repeat(200)}`,
  }));
  const history = [...turns, { role: 'user', content: 'And now?' }];
  const parameters = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`field_${i}`, { type: 'string', enum: ['a', 'b', 'c'] }]),
    ),
  };
  const tools = Array.from({ length: 128 }, (_, i) => ({
    type: 'function',
    function: { name: `tool_${i}`, description: 'Does something.', parameters },
  }));

  test.each(['open', 'claude'])('a request with 1,001 messages and 128 tools reaches %s', async model => {
    const { status } = await post('/v1/chat/completions', { model, messages: history, tools, max_tokens: 5 });
    expect(status).toBe(200);
    expect(reached()).toHaveLength(1);
  });

  test('a request with 2,048 texts to embed, or 2,048 lists of 146 token ids, reaches its upstream', async () => {
    const texts = Array.from({ length: 2_048 }, (_, i) => `Text ${i}`);
    const tokens = texts.map(() => Array.from({ length: 146 }, (_, i) => i));
    for (const input of [texts, tokens]) {
      // Whole vectors would keep this process, which all parts share, too busy for the worker's heartbeats.
      const body = { model: 'any/sim-embed', input, dimensions: 1 };
      expect(await post('/v1/embeddings', body)).toMatchObject({ status: 200 });
      expect(JSON.parse(reached().at(-1)?.body ?? '').input).toEqual(input);
    }
  });
});
