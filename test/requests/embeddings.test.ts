import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startVectorUpstreams, type VectorUpstreams } from '../clients/vector-upstreams.ts';
import { post } from './post.ts';

let gateway: VectorUpstreams;

beforeAll(async () => {
  const target = (provider: string, model = 'sim-fast') => ({ provider, model });
  gateway = await startVectorUpstreams([
    { name: 'tokens', targets: [target('cohere'), target('openai')] },
    { name: 'limits', targets: [target('three', 'fault-500'), target('five')] },
    { name: 'dropped', targets: [target('openai')], drop: ['encoding_format', 'input_type'] },
    { name: 'house/vectors:1', targets: [target('gemini')] },
    { name: 'ranks-only', targets: [target('jina')] },
    { name: 'mute', targets: [target('claude')] },
  ]);
});
afterAll(() => gateway?.stop());

const embed = (body: unknown, headers?: Record<string, string>) =>
  post(gateway.stack, '/v1/embeddings', body, headers);
const asked = () => gateway.simulator.requests.length;
const last = () => gateway.simulator.requests.at(-1);

const model = 'openai/sim-fast';
const missing = 'missing_required_parameter';
const tooMany = Array.from({ length: 2049 }, () => 'x');

describe('an invalid request for embeddings', () => {
  test.each<[object | string, string | null, string | null]>([
    [{ input: 'x' }, 'model', missing],
    [{ model: '', input: 'x' }, 'model', 'invalid_value'],
    [{ model: 5, input: 'x' }, 'model', 'invalid_type'],
    [{ model }, 'input', missing],
    [{ model, input: null }, 'input', 'invalid_type'],
    [{ model, input: '' }, 'input', 'invalid_value'],
    [{ model, input: 5 }, 'input', 'invalid_type'],
    [{ model, input: true }, 'input', 'invalid_type'],
    [{ model, input: [{ image: 'x' }, 5] }, 'input[1]', 'invalid_type'],
    [{ model, input: [] }, 'input', 'empty_array'],
    [{ model, input: ['x', ''] }, 'input[1]', 'invalid_value'],
    [{ model, input: ['x', 1] }, 'input[1]', 'invalid_type'],
    [{ model, input: ['x', [1]] }, 'input[1]', 'invalid_type'],
    [{ model, input: [1, 'x'] }, 'input[1]', 'invalid_type'],
    [{ model, input: [1, 1.5] }, 'input[1]', 'invalid_type'],
    [{ model, input: [-1] }, 'input[0]', 'integer_below_min_value'],
    [{ model, input: [[]] }, 'input[0]', 'empty_array'],
    [{ model, input: [[1], 'x'] }, 'input[1]', 'invalid_type'],
    [{ model, input: [[1], [null]] }, 'input[1][0]', 'invalid_type'],
    [{ model, input: tooMany }, 'input', 'array_above_max_length'],
    [{ model, input: 'x', dimensions: 0 }, 'dimensions', 'integer_below_min_value'],
    [{ model, input: 'x', dimensions: 2 ** 60 }, 'dimensions', 'integer_above_max_value'],
    [{ model, input: 'x', dimensions: 1.5 }, 'dimensions', 'invalid_type'],
    [{ model, input: 'x', dimensions: '5' }, 'dimensions', 'invalid_type'],
    [{ model, input: 'x', encoding_format: 5 }, 'encoding_format', 'invalid_type'],
    [{ model, input: 'x', encoding_format: 'bytes' }, 'encoding_format', 'unsupported_value'],
    [{ model, input: 'x', embedding_types: ['float', 'int8'] }, 'embedding_types', 'unsupported_value'],
    [{ model, input: 'x', output_dtype: 8 }, 'output_dtype', 'invalid_type'],
    [{ model, input: 'x', embedding_types: [8] }, 'embedding_types[0]', 'invalid_type'],
    [{ model: 'gemini/sim-fast', input: 'x', output_dtype: 'int8' }, 'output_dtype', 'unsupported_value'],
    [{ model: 'cohere/sim-fast', input: [{ image: 'x' }] }, 'input', 'unsupported_value'],
    [{ model, input: 'x', user: 5 }, 'user', 'invalid_type'],
    [{ model: 'cohere/sim-fast', input: [1, 2] }, 'input', 'unsupported_value'],
    [{ model: 'gemini/sim-fast', input: [[1], [2]] }, 'input[0]', 'unsupported_value'],
    ['{"model":"m","input":"x","input":"y"}', 'input', 'invalid_value'],
    ['{"model":', null, null],
    ['["x"]', null, null],
  ])('an invalid embeddings request is refused: %j: %s, %s', async (body, param, code) => {
    const before = asked();
    const { status, json } = await embed(body);
    expect(status).toBe(400);
    expect(json).toEqual({
      error: { type: 'invalid_request_error', param, code, message: expect.stringMatching(/./) },
    });
    expect(asked()).toBe(before);
  });

  test.each<[object, number, string, string | null]>([
    [{ model: 'nobody', input: 'x' }, 404, 'model_not_found', null],
    [{ model: 'mute', input: 'x' }, 400, 'unsupported_model', 'model'],
  ])('an embeddings request for a wrong model is refused: %j: %i, %s', async (body, status, code, param) => {
    const refused = await embed(body);
    expect(refused.status).toBe(status);
    expect(refused.json).toMatchObject({ error: { type: 'invalid_request_error', param, code } });
  });

  test('an embeddings request without a token or with another method is refused', async () => {
    expect(await embed({ model, input: 'x' }, {})).toMatchObject({ status: 401 });
    const wrong = await embed({ model, input: 'x' }, { authorization: 'Bearer nope' });
    expect(wrong).toMatchObject({ status: 401, json: { error: { code: 'invalid_api_key' } } });
    const got = await fetch(`${gateway.stack.url}/v1/embeddings`);
    expect(got.status).toBe(405);
    expect(got.headers.get('allow')).toBe('POST');
  });

  test("an embeddings request that the upstream refuses gets the upstream's message", async () => {
    const { status, json } = await embed({ model: 'cohere/sim-fast', input: 'x', dimensions: 7 });
    expect(status).toBe(400);
    expect(json.error.message).toContain('output_dimension must be one of');
  });
});

describe('embeddings with an upstream of the same format', () => {
  test('an upstream of the same format gets the body unchanged but for the model, and its response passes unchanged', async () => {
    const body = `{ "input_type":"query", "model" : "${model}","input":["\\u0041"], "seed":12345678901234567890 }`;
    const answer = await embed(body);
    expect(answer.status).toBe(400);
    const good = `{ "model" : "${model}","input":["\\u0041"],"encoding_format":"float","user":null }`;
    const { text, headers, status } = await embed(good);
    expect(status).toBe(200);
    const spliced = '{"model" : "sim-fast","input":["\\u0041"],"encoding_format":"float","user":null}';
    expect(last()?.body).toBe(spliced);
    const direct = await fetch(`${gateway.simulator.url}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
      body: spliced,
    });
    expect(text).toBe(await direct.text());
    expect(headers.get('x-gateway-model')).toBe(model);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('base64 vectors are returned although the upstream is not asked for them', async () => {
    const { json } = await embed({
      model: 'dropped',
      input: 'x',
      dimensions: 4,
      encoding_format: 'base64',
      input_type: 'query',
    });
    expect(gateway.received()).toEqual({ model: 'sim-fast', input: 'x', dimensions: 4 });
    expect(Buffer.from(json.data[0].embedding, 'base64')).toHaveLength(16);
    expect(json.usage.total_tokens).toBeGreaterThan(0);
  });

  test('a list of token ids is one input', async () => {
    expect((await embed({ model, input: [1, 2, 3] })).json.data).toHaveLength(1);
    expect((await embed({ model, input: [[1, 2], [3]] })).json.data).toHaveLength(2);
  });
});

test('token ids are sent to the target that supports them', async () => {
  const { status, json } = await embed({ model: 'tokens', input: [[1, 2, 3], [4]] });
  expect(status).toBe(200);
  expect(json.data).toHaveLength(2);
  expect(gateway.received()).toMatchObject({ input: [[1, 2, 3], [4]] });
});

describe('the purpose of vectors', () => {
  test.each([
    [{ input_type: 'query' }, 'RETRIEVAL_QUERY', 'search_query'],
    [{ input_type: 'search_document' }, 'RETRIEVAL_DOCUMENT', 'search_document'],
    [{ task: 'retrieval.passage' }, 'RETRIEVAL_DOCUMENT', 'search_document'],
    [{ task: 'text-matching' }, 'SEMANTIC_SIMILARITY', 'clustering'],
    [{ input_type: 'classification' }, 'CLASSIFICATION', 'classification'],
    [{}, undefined, 'search_document'],
  ])('the purpose %j is sent as %s and %s', async (fields, taskType, type) => {
    expect((await embed({ model: 'gemini/sim-fast', input: ['x'], ...fields })).status).toBe(200);
    expect(gateway.received()).toEqual({
      requests: [
        { model: 'models/sim-fast', content: { parts: [{ text: 'x' }] }, ...(taskType && { taskType }) },
      ],
    });
    expect((await embed({ model: 'cohere/sim-fast', input: ['x'], ...fields })).status).toBe(200);
    expect(gateway.received()).toEqual({
      model: 'sim-fast',
      texts: ['x'],
      embedding_types: ['float'],
      input_type: type,
    });
  });

  test("truncation of long texts is sent in the upstream's words", async () => {
    await embed({ model: 'cohere/sim-fast', input: 'x', truncate: true });
    expect(gateway.received()).toMatchObject({ truncate: 'END' });
    await embed({ model: 'cohere/sim-fast', input: 'x', truncate: 'NONE' });
    expect(gateway.received()).toMatchObject({ truncate: 'NONE' });
  });
});

describe('more inputs than an upstream accepts at once', () => {
  const input = Array.from({ length: 8 }, (_, i) => `text number ${i}`);
  const bodies = (since: number) =>
    gateway.simulator.requests.slice(since).map(({ body }) => JSON.parse(String(body)));

  test.each([
    ['three', 3],
    ['five', 2],
    ['two', 4],
  ])(
    'inputs over the limit of %s are sent in %i requests, and returned in order with the summed usage',
    async (name, calls) => {
      const whole = await embed({ model, input, dimensions: 256 });
      const before = asked();
      const { json } = await embed({ model: `${name}/sim-fast`, input, dimensions: 256 });
      expect(asked() - before).toBe(calls);
      expect(json.data).toEqual(whole.json.data);
      expect(json.usage).toEqual(whole.json.usage);
    },
  );

  test('split inputs keep the fields that only their format has', async () => {
    const before = asked();
    const { status } = await embed({ model: 'three/sim-fast', input, input_type: 'query', user: 'me' });
    expect(status).toBe(400);
    expect(bodies(before)[0]).toMatchObject({ input_type: 'query', user: 'me' });
  });

  test('split inputs fail over to the next target, with its own limit', async () => {
    const before = asked();
    const { status, json } = await embed({ model: 'limits', input });
    expect(status).toBe(200);
    expect(json.data.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const sent = bodies(before).flatMap(({ texts }) => (texts ? [texts.length] : []));
    expect(sent.toSorted()).toEqual([3, 5]);
  });

  test('split inputs are returned in the requested encoding', async () => {
    const { json } = await embed({
      model: 'five/sim-fast',
      input,
      encoding_format: 'base64',
      dimensions: 256,
    });
    expect(Buffer.from(json.data[7].embedding, 'base64')).toHaveLength(1024);
  });
});
