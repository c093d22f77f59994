import type { ServerResponse } from 'node:http';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Script, type ScriptedUpstream, startUpstream } from '../faults/upstream.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { post } from './post.ts';

const time = new PassingTime();
let upstream: ScriptedUpstream;
let stack: Stack;
/** The upstream's next response. */
let script: Script;
let closed = 0;

const send = (response: ServerResponse, body: unknown, status = 200, headers = {}) =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));

const totalMs = 700;
const timeouts = { total: `${totalMs}ms` };
const target = (provider: string) => ({ provider, model: 'm' });
const kinds = {
  openai: 'openai-compatible',
  split: 'openai-compatible',
  gemini: 'gemini',
  cohere: 'cohere',
  jina: 'openai-compatible',
  tei: 'tei',
};

beforeAll(async () => {
  upstream = await startUpstream((response, request) => {
    response.on('close', () => {
      if (!response.writableFinished) closed++;
    });
    // The last target of those that are tried in turn.
    if (request.url?.startsWith('/good/')) return send(response, good);
    return script(response, request);
  });
  const providers = Object.entries(kinds).map(([name, kind]) => ({
    name,
    kind,
    baseUrl: upstream.url,
    apiKey: { value: 'top-secret-key-1234' },
    ...(name === 'split' && { batch: 1 }),
  }));
  const dead = { name: 'dead', kind: 'cohere', baseUrl: 'http://127.0.0.1:9' };
  const last = { name: 'good', kind: 'cohere', baseUrl: `${upstream.url}/good` };
  const names = [...Object.keys(kinds), 'dead', 'good'];
  stack = await startStack({
    catalog: {
      providers: [...providers, dead, last],
      models: [
        ...names.flatMap(name => [
          { name, targets: [target(name)], timeouts },
          { name: `${name}-then-good`, targets: [target(name), target('good')], timeouts },
        ]),
      ],
    },
    time,
  });
});
afterAll(async () => {
  await stack?.stop();
  upstream?.close();
});

/** The response of the good target, which has one vector and one rank. */
const good = {
  id: 'c',
  embeddings: { float: [[9]] },
  results: [{ index: 0, relevance_score: 9 }],
  meta: { billed_units: { input_tokens: 1, search_units: 1 } },
};

const embed = (model: string, input: string[], encoding?: string) =>
  post(stack, '/v1/embeddings', { model, input, encoding_format: encoding });
const rerank = (model: string, documents = ['a', 'b', 'c']) =>
  post(stack, '/v1/rerank', { model, query: 'q', documents });

const vectors = (...places: unknown[]) => ({
  data: places.map((index, i) => ({ ...(index !== undefined && { index }), embedding: [i] })),
});
const nan = Buffer.from(Float32Array.of(1, Number.NaN).buffer).toString('base64');
const of = (embedding: unknown) => ({
  data: [
    { index: 0, embedding },
    { index: 1, embedding: [1] },
  ],
});

describe('an invalid response', () => {
  test.each<[string, unknown]>([
    ['too few', vectors(0)],
    ['too many', vectors(0, 1, 2)],
    ['one that is missing', vectors(0, 2)],
    ['one out of range', vectors(0, -2)],
    ['a place between two', vectors(0, 0.5)],
    ['a place in words', vectors('one', 'two')],
    ['none', { data: [] }],
    ['no list', { data: { 0: [1] } }],
    ['nothing', null],
    ['a text', '"embeddings"'],
    ['half a body', '{"data":[{"index":0,'],
    ['no vector', of(null)],
    ['an empty vector', of([])],
    ['a vector of words', of(['1'])],
    ['a vector that is no number', '{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}'],
    ['no base64', of('what is this?')],
    ['half a float', of('AAAA')],
    ['the base64 of what is no number', of(nan)],
    ['an error', { error: { message: 'GPU on fire' } }],
  ])('an invalid OpenAI response with %s is a 502', async (_, body) => {
    script = response => send(response, body);
    const { status, json } = await embed('openai', ['a', 'b']);
    expect(status).toBe(502);
    expect(json).toMatchObject({ error: { type: 'server_error', code: 'upstream_error' } });
    expect((await embed('openai-then-good', ['a', 'b'])).status).toBe(502);
  });

  test.each<[string, string, unknown]>([
    ['gemini', 'too few', { embeddings: [{ values: [1] }] }],
    ['gemini', 'no vector', { embeddings: [{ values: [1] }, {}] }],
    ['gemini', 'one alone', { embedding: { values: [1] } }],
    ['gemini', 'nothing', {}],
    ['cohere', 'too few', { embeddings: { float: [[1]] } }],
    ['cohere', 'another type', { embeddings: { int8: [[1], [2]] } }],
    ['cohere', 'nothing', {}],
  ])('an invalid response of %s is a 502: %s', async (model, _, body) => {
    script = response => send(response, body);
    expect((await embed(model, ['a', 'b'])).status).toBe(502);
  });

  const ranks = (...indices: unknown[]) =>
    indices.map((index, i) => ({ index, relevance_score: i / 10, score: i / 10 }));
  test.each<[string, unknown]>([
    ['a place out of range', ranks(0, 3)],
    ['one before the first', ranks(-1)],
    ['one that is there twice', ranks(0, 1, 0)],
    ['a place between two', ranks(0.5)],
    ['a place in words', ranks('first')],
    ['no place', ranks(undefined)],
    ['no score', [{ index: 0 }]],
    ['a score in words', [{ index: 0, relevance_score: 'high', score: 'high' }]],
    ['a text', 'none'],
  ])('an invalid rerank response is a 502: %s', async (_, list) => {
    for (const model of ['cohere', 'jina', 'tei']) {
      script = response => send(response, model === 'tei' ? list : { results: list });
      const { status, json } = await rerank(model);
      expect({ model, status }).toEqual({ model, status: 502 });
      expect(json).toMatchObject({ error: { code: 'upstream_error' }, message: expect.stringMatching(/./) });
    }
  });
});

test.each(['float', 'base64'])('vectors in a different order are sorted, as %s', async encoding => {
  script = response => send(response, { ...vectors(2, 0, 1), usage: { prompt_tokens: 3 } });
  const { json } = await embed('openai', ['a', 'b', 'c'], encoding);
  const encoded = (float: number) => Buffer.from(Float32Array.of(float).buffer).toString('base64');
  const written = [1, 2, 0].map(float => (encoding === 'float' ? [float] : encoded(float)));
  expect(json.data).toEqual(written.map((embedding, index) => ({ object: 'embedding', index, embedding })));
  expect(json.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
});

test.each([
  [undefined, undefined],
  [1, 2],
  [0, 0],
])(
  'vectors with the indexes %j and %j keep the order of the inputs, and get what clients read',
  async (...indexes) => {
    script = response => send(response, vectors(...indexes));
    expect((await embed('openai', ['a', 'b'])).json).toEqual({
      object: 'list',
      model: 'openai',
      data: [0, 1].map(index => ({ object: 'embedding', index, embedding: [index] })),
      usage: { prompt_tokens: 0, total_tokens: 0 },
    });
  },
);

test('vectors of other numbers pass as they came', async () => {
  const body = {
    ...{ object: 'list', model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } },
    data: [{ object: 'embedding', index: 0, embedding: 'AQL6' }],
  };
  script = response => send(response, body);
  const asked = { input: ['a'], encoding_format: 'base64', output_dtype: 'int8' };
  for (const model of ['openai', 'split'])
    expect((await post(stack, '/v1/embeddings', { model, ...asked })).json.data).toEqual(body.data);
});

test('ranks in a different order are sorted, and ranks beyond the requested number are left out', async () => {
  const list = [
    { index: 2, score: 0.1 },
    { index: 0, score: 0.9 },
    { index: 1, score: 0.9 },
  ];
  for (const body of [{ results: list }, { data: list }, list]) {
    script = response => send(response, body);
    const { json } = await post(stack, '/rerank', {
      model: 'jina',
      query: 'q',
      documents: ['a', 'b', 'c'],
      top_n: 2,
    });
    expect(json.results.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
  }
});

const refuse =
  (status: number, body: unknown, headers = {}): Script =>
  response =>
    send(response, body, status, headers);

/** Failures of an upstream, and the client's error for each. */
const failures: [string, Script, number, string][] = [
  ['429', refuse(429, { message: 'Slow down' }, { 'retry-after': '7' }), 429, 'rate_limit_exceeded'],
  ['401', refuse(401, { message: 'invalid api token top-secret-key-1234' }), 502, 'upstream_error'],
  ['404', refuse(404, { message: 'no such model' }), 404, 'model_not_found'],
  ['424', refuse(424, { error: 'inference failed', error_type: 'Backend' }), 502, 'upstream_error'],
  ['500', refuse(500, { error: { message: 'Oops' } }), 502, 'upstream_error'],
  ['503', refuse(503, { message: 'Full' }), 503, 'server_is_overloaded'],
  ['a page', response => void response.writeHead(502).end('<html>bad gateway</html>'), 502, 'upstream_error'],
  ['nothing, for long', () => {}, 504, 'timeout'],
  ['a reset', response => void response.socket?.resetAndDestroy(), 502, 'upstream_error'],
  [
    'half an answer',
    response => {
      const headers = { 'content-type': 'application/json', 'content-length': 1000 };
      response.writeHead(200, headers).write('{"da', () => response.destroy());
    },
    502,
    'upstream_error',
  ],
];

describe.each(failures)('an upstream that responds with %s', (_, act, status, code) => {
  test.each([
    ['openai', embed],
    ['gemini', embed],
    ['cohere', embed],
    ['tei', embed],
    ['split', embed],
    ['cohere', rerank],
    ['jina', rerank],
    ['tei', rerank],
  ])('a failure of %s is an error, or the next target answers', async (name, ask) => {
    script = act;
    const answered = async (model: string) => {
      const before = upstream.bodies.length;
      const asking = ask(model, ['a']);
      if (code === 'timeout') {
        await expect.poll(() => upstream.bodies.length).toBe(before + 1);
        await time.pass(totalMs);
      }
      return asking;
    };
    const { json, text, ...answer } = await answered(name);
    expect({ status: answer.status, code: json.error.code }).toEqual({ status, code });
    expect(text).not.toContain('top-secret');
    const next = await answered(`${name}-then-good`);
    expect(next.status).toBe(200);
    expect(JSON.stringify(next.json)).toContain('9');
  });
});

test.each([
  ['openai', 400, { error: { message: 'Bad dimensions', param: 'dimensions' } }, 'dimensions'],
  [
    'gemini',
    400,
    {
      error: {
        code: 400,
        message: 'Bad dimensions',
        status: 'INVALID_ARGUMENT',
        details: [{ fieldViolations: [{ field: 'requests[0].output_dimensionality' }] }],
      },
    },
    'dimensions',
  ],
  ['cohere', 400, { message: 'invalid request: bad dimensions' }, null],
  ['tei', 422, { error: 'Bad dimensions', error_type: 'Tokenizer' }, null],
])(
  'a request that %s refuses with %i is invalid, and is not sent to the next target',
  async (model, status, body, param) => {
    script = refuse(status, body);
    for (const name of [model, `${model}-then-good`]) {
      const refused = await embed(name, ['a']);
      expect(refused.status).toBe(400);
      expect(refused.json.error.param).toBe(param);
      expect(refused.json.error.message).toMatch(/bad dimensions/i);
    }
  },
);

test.each([
  ['embedContent', 'input', 'content'],
  ['embedContent', 'input[0]', 'content'],
  ['embedContent', 'dimensions', 'outputDimensionality'],
  ['batchEmbedContents', 'input[1]', 'requests[1]'],
])('a client of %s gets an error about %s as its field %s', async (method, param, field) => {
  script = refuse(400, { error: { message: `Invalid '${param}'.`, param } });
  const content = { parts: [{ text: 'x' }] };
  const body = method === 'embedContent' ? { content } : { requests: [{ content }, { content }] };
  const { status, json } = await post(stack, `/v1beta/models/openai:${method}`, body);
  expect(status).toBe(400);
  expect(json.error.message).toBe(`Invalid '${param}'.`);
  expect(json.error.details).toMatchObject([{ fieldViolations: [{ field }] }]);
});

test('an upstream that cannot be reached is an error', async () => {
  expect(await embed('dead', ['a'])).toMatchObject({ status: 502 });
  expect(await embed('dead-then-good', ['a'])).toMatchObject({ status: 200 });
});

describe('a split request', () => {
  const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
  const inputOf = (body: string | undefined): string => JSON.parse(body ?? '{}').input?.[0];

  test('a split request fails if one part fails, which cancels the others', async () => {
    closed = 0;
    script = async response => {
      if (inputOf(upstream.bodies.at(-1)) === 'c') send(response, { error: { message: 'Full' } }, 503);
    };
    const { status, json } = await embed('split', texts);
    expect(status).toBe(503);
    expect(json.error.message).toBe('Full');
    await expect.poll(() => closed).toBe(3);
  });

  test('a split request reports the index of an input in the whole request', async () => {
    script = response => {
      const bad = inputOf(upstream.bodies.at(-1)) === 'e';
      const error = { message: "Invalid 'input[0]': too long.", param: 'input[0]' };
      send(response, bad ? { error } : vectors(0), bad ? 400 : 200);
    };
    const { status, json } = await embed('split', texts);
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ param: 'input[4]', message: "Invalid 'input[4]': too long." });
  });

  test('a split request has the time limit of a single one', async () => {
    script = response => void time.clock.setTimeout(() => send(response, vectors(0)), 250);
    const asking = embed('split', [...texts, ...texts, ...texts, ...texts]);
    expect((await time.during(asking, 250)).status).toBe(504);
  });

  test('a split request closes its upstreams within a second after the client disconnects', async () => {
    let left = 0;
    script = response =>
      void response.on('close', () => {
        left++;
      });
    const leave = new AbortController();
    const before = upstream.bodies.length;
    const answer = fetch(`${stack.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'split', input: texts }),
      signal: leave.signal,
    });
    answer.catch(() => {});
    await expect.poll(() => upstream.bodies.length - before).toBe(4);
    leave.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => left).toBe(4);
    expect(upstream.bodies.length - before).toBe(4);
  });
});
