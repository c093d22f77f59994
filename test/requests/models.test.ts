import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';

let stack: Stack;

beforeAll(async () => {
  const target = { provider: 'p', model: 'm' };
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'p', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' },
        { name: 'vectors', kind: 'voyage', baseUrl: 'http://127.0.0.1:1/v1', apiKey: { value: 'k' } },
        { name: 'ears', kind: 'deepgram', baseUrl: 'http://127.0.0.1:1', apiKey: { value: 'k' } },
      ],
      models: [
        { name: 'a', targets: [target], limits: { context: 1000, maxOutput: 100 } },
        { name: 'org/b:1', targets: [target] },
        { name: 'c', targets: [target] },
        { name: 'any-*', targets: [{ provider: 'p', model: '*' }] },
        { name: 'v-*', targets: [{ provider: 'vectors', model: '*' }] },
        { name: 'e-*', targets: [{ provider: 'ears', model: '*' }] },
        { name: 'w-*', targets: [target, { provider: 'vectors', model: 'voyage-3' }] },
      ],
    },
  });
});

afterAll(() => stack?.stop());

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(stack.url + path, { headers });
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, requestId: response.headers.get('request-id'), body };
}

const bearer = () => ({ authorization: `Bearer ${stack.token}` });
const apiKey = () => ({ 'x-api-key': stack.token });
const version = { 'anthropic-version': '2023-06-01' };
const google = () => ({ 'x-goog-api-key': stack.token });

const chatModel = { id: 'a', object: 'model', created: 1_700_000_000, owned_by: 'p' };
const messagesModel = {
  type: 'model',
  id: 'a',
  display_name: 'a',
  created_at: '2023-11-14T22:13:20Z',
  max_input_tokens: 1000,
  max_tokens: 100,
  lifecycle: 'active',
  capabilities: null,
  line: null,
  deprecated_at: null,
  retires_at: null,
};
const generateContentModel = {
  name: 'models/a',
  baseModelId: 'a',
  version: '001',
  displayName: 'a',
  inputTokenLimit: 1000,
  outputTokenLimit: 100,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
};

describe("the list of models has the shape of the client's format", () => {
  const chatList = { object: 'list', data: [chatModel, expect.anything(), expect.anything()] };
  const messagesList = {
    data: [messagesModel, expect.objectContaining({ id: 'org/b:1', max_tokens: null }), expect.anything()],
    has_more: false,
    first_id: 'a',
    last_id: 'c',
  };
  const generateContentList = {
    models: [generateContentModel, expect.objectContaining({ name: 'models/org/b:1' }), expect.anything()],
  };
  test.each<[string, string, () => Record<string, string>, object, object]>([
    ['Bearer alone', '/v1', bearer, chatList, chatModel],
    ['Bearer and a version', '/v1', () => ({ ...bearer(), ...version }), messagesList, messagesModel],
    [
      'Bearer and our version',
      '/v1',
      () => ({ ...bearer(), 'vendor-version': '2026-01-01' }),
      messagesList,
      messagesModel,
    ],
    ['x-api-key', '/v1', apiKey, messagesList, messagesModel],
    ['x-goog-api-key', '/v1', google, generateContentList, generateContentModel],
    ['x-goog-api-key under v1beta', '/v1beta', google, generateContentList, generateContentModel],
    ['Bearer under v1beta', '/v1beta', bearer, generateContentList, generateContentModel],
  ])("models have the shape of the client's format: %s at %s", async (_what, base, headers, list, model) => {
    expect((await get(`${base}/models`, headers())).body).toEqual(list);
    expect((await get(`${base}/models/a`, headers())).body).toEqual(model);
  });

  test("models have Gemini's shape for a key in the query", async () => {
    expect((await get(`/v1/models?key=${stack.token}`, { 'x-goog-api-client': 'gl-node/24' })).body).toEqual(
      generateContentList,
    );
    expect((await get(`/v1beta/models/a?key=${stack.token}`)).body).toEqual(generateContentModel);
  });

  test('a model name may contain a slash, and a name that a pattern matches is a model', async () => {
    for (const path of ['/v1/models/org/b:1', '/v1/models/org%2Fb%3A1', '/v1/models/any-x/y']) {
      expect((await get(path, bearer())).status).toBe(200);
    }
    expect((await get('/v1/models/any-x', apiKey())).body).toMatchObject({ id: 'any-x' });
  });
});

test.each([
  ['a', ['generateContent', 'countTokens']],
  ['any-model', ['generateContent', 'countTokens']],
  ['any-text-embedding-3-small', ['embedContent', 'batchEmbedContents']],
  ['v-1', ['embedContent', 'batchEmbedContents']],
  ['w-1', ['generateContent', 'countTokens']],
  ['e-1', []],
])("Google's methods of the model %s are those of its operations", async (name, methods) => {
  const { body } = await get(`/v1beta/models/${name}`, google());
  expect(body.supportedGenerationMethods).toEqual(methods);
});

describe('a refused request for models', () => {
  const unknown = '/v1/models/none';
  test('a refusal has the shape of chat', async () => {
    expect(await get('/v1/models')).toMatchObject({ status: 401, body: { error: { param: null } } });
    expect(await get(unknown, bearer())).toMatchObject({
      status: 404,
      body: { error: { code: 'model_not_found' } },
    });
  });

  test('a refusal has the shape of messages, with its request id', async () => {
    const { status, body, requestId } = await get(unknown, apiKey());
    expect({ status, body }).toMatchObject({
      status: 404,
      body: { type: 'error', error: { type: 'not_found_error' }, request_id: requestId },
    });
    expect(await get('/v1/models', { 'x-api-key': 'nope' })).toMatchObject({
      status: 401,
      body: { error: { type: 'authentication_error' } },
    });
  });

  test('a refusal has the shape of Gemini, in which a wrong key is a bad argument', async () => {
    expect(await get(unknown, google())).toMatchObject({
      status: 404,
      body: { error: { code: 404, status: 'NOT_FOUND' } },
    });
    expect(await get('/v1beta/models', { 'x-goog-api-key': 'nope' })).toMatchObject({
      status: 400,
      body: { error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] } },
    });
    expect(await get('/v1beta/models', { authorization: 'Bearer nope' })).toMatchObject({
      status: 401,
      body: { error: { code: 401, status: 'UNAUTHENTICATED' } },
    });
  });

  test.each([
    ['/v1/models?limit=x', apiKey],
    ['/v1/models?limit=-1', apiKey],
    ['/v1/models?limit=0', apiKey],
    ['/v1/models?limit=1001', apiKey],
    ['/v1/models?limit=1e1', apiKey],
    ['/v1/models?before_id=none', apiKey],
    ['/v1/models?before_id=c&after_id=a', apiKey],
    ['/v1beta/models?pageSize=-1', google],
    ['/v1/models?after_id=none', apiKey],
    ['/v1beta/models?pageSize=x', google],
    ['/v1beta/models?pageToken=%00', google],
  ])('the page %s does not exist', async (path, headers) => {
    expect((await get(path, headers())).status).toBe(400);
  });
});

describe('pages of a list of models', () => {
  const ids = (body: Record<string, unknown>) => (body.data as { id: string }[]).map(({ id }) => id);

  test('pages can be read forwards and backwards', async () => {
    const first = (await get('/v1/models?limit=2', apiKey())).body;
    expect(first).toMatchObject({ has_more: true, first_id: 'a', last_id: 'org/b:1' });
    const second = (await get('/v1/models?limit=2&after_id=org%2Fb:1', apiKey())).body;
    expect({ ids: ids(second), ...second }).toMatchObject({ ids: ['c'], has_more: false, last_id: 'c' });
    const before = (await get('/v1/models?limit=1&before_id=c', apiKey())).body;
    expect({ ids: ids(before), ...before }).toMatchObject({ ids: ['org/b:1'], has_more: true });
    const none = (await get('/v1/models?after_id=c', apiKey())).body;
    expect(none).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  });

  test('a page can have the largest size', async () => {
    expect((await get('/v1/models?limit=1000', apiKey())).body).toMatchObject({ has_more: false });
    for (const size of ['0', '5000', '']) {
      const { models, nextPageToken } = (await get(`/v1beta/models?pageSize=${size}`, google())).body;
      expect({ models, nextPageToken }).toEqual({ models: expect.any(Array), nextPageToken: undefined });
      expect(models).toHaveLength(3);
    }
  });

  test('pages can be read by token', async () => {
    const first = (await get('/v1beta/models?pageSize=2', google())).body;
    expect(first.models).toHaveLength(2);
    const second = (await get(`/v1beta/models?pageSize=2&pageToken=${first.nextPageToken}`, google())).body;
    expect(second).toEqual({ models: [expect.objectContaining({ name: 'models/c' })] });
  });
});
