import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { post } from '../testing/post.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const ask = (path: string, body: object, key = 'any') =>
  post(simulator.url + path, body, { authorization: `Bearer ${key}` });
const x = (length: number, text: unknown = 'x') => Array(length).fill(text);

const [query, documents] = [
  'What is the capital of France?',
  ['Bananas.', 'Paris is the capital of France.', 'The capital of Italy.'],
];

describe('embeddings', () => {
  test.each<[object, string | null, string | null, string?]>([
    [{ input: undefined }, 'missing_required_parameter', 'input'],
    [{ model: undefined }, 'missing_required_parameter', 'model'],
    [{ input: '' }, 'string_below_min_length', 'input'],
    [{ input: [] }, 'empty_array', 'input'],
    [{ input: ['a', ''] }, 'string_below_min_length', 'input[1]'],
    [{ input: ['a', 1] }, 'invalid_type', 'input[1]'],
    [{ input: [1, 'a'] }, 'invalid_type', 'input[1]'],
    [{ input: [[]] }, 'empty_array', 'input[0]'],
    [{ input: { text: 'a' } }, 'invalid_type', 'input'],
    [{ input: x(2_049) }, 'array_above_max_length', 'input', 'maximum length 2048'],
    [{ input: x(2_049, 1) }, 'array_above_max_length', 'input'],
    [{ dimensions: 0 }, 'integer_below_min_value', 'dimensions'],
    [{ dimensions: 1.5 }, 'invalid_type', 'dimensions'],
    [{ dimensions: 4_097 }, 'integer_above_max_value', 'dimensions'],
    [{ model: 'text-embedding-ada-002', dimensions: 8 }, null, null, 'does not support'],
    [{ encoding_format: 'hex' }, 'invalid_value', 'encoding_format', "'float' and 'base64'"],
    [{ inputs: ['a'] }, 'unknown_parameter', 'inputs'],
    [{ input: 'x'.repeat(4 * 8_193) }, null, null, 'you requested 8193 tokens'],
    [{ input: x(50, 'x'.repeat(4 * 6_001)) }, 'max_tokens_per_request', null, 'Requested 300050 tokens'],
  ])('an invalid request is an error: case %#', async (more, code, param, message = '') => {
    const error = { code, param, message: expect.stringContaining(message) };
    const { status, body } = await ask('/v1/embeddings', { model: 'sim-d64', input: 'A cat', ...more });
    expect({ status, body }).toMatchObject({ status: 400, body: { error } });
  });
});

describe('Cohere', () => {
  const embed = { model: 'sim-d16', input_type: 'search_document', texts: ['A cat', 'A dog'] };
  const rerank = { model: 'sim-fast', query, documents };

  test('vectors are returned in each requested type', async () => {
    const embedding_types = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'];
    const { body } = await ask('/v2/embed', { ...embed, embedding_types });
    const { float, int8, uint8, binary, ubinary, base64 } = body.embeddings;
    expect(float).toHaveLength(2);
    expect(Math.hypot(...float[0])).toBeCloseTo(1, 5);
    expect(int8[0]).toEqual(float[0].map((number: number) => Math.round(number * 127)));
    expect(uint8[0]).toEqual(int8[0].map((number: number) => number + 128));
    expect(ubinary[0]).toHaveLength(2);
    expect(binary[0]).toEqual(ubinary[0].map((number: number) => number - 128));
    expect(Buffer.from(base64[0], 'base64').readFloatLE(0)).toBe(float[0][0]);
    const meta = { api_version: { version: '2' }, billed_units: { input_tokens: 4 } };
    expect(body).toMatchObject({ id: expect.any(String), texts: embed.texts, meta });
  });

  test.each<[string, object, string, number?]>([
    ['embed', { model: undefined }, 'invalid request: model must be specified'],
    ['embed', { input_type: undefined }, 'invalid request: valid input_type must be provided'],
    ['embed', { texts: undefined }, 'invalid request: exactly one of'],
    ['embed', { texts: x(97) }, 'invalid request: total number of texts must be at most 96 - received 97'],
    ['embed', { output_dimension: 100 }, 'invalid request: output_dimension must be one of'],
    ['embed', { embedding_types: ['hex'] }, 'invalid request: embedding_types must be among'],
    ['embed', { input: ['a'] }, 'unknown field', 422],
    ['rerank', { model: undefined }, 'invalid request: model must be specified'],
    ['rerank', { query: ' ' }, 'invalid request: query must not be empty'],
    ['rerank', { documents: [] }, 'invalid request: list of documents must not be empty'],
    ['rerank', { documents: [{ text: 'a' }] }, 'invalid request: documents must be strings'],
    ['rerank', { top_n: 0 }, 'invalid request: top_n must be at least 1'],
    ['rerank', { return_documents: true }, 'unknown field', 422],
  ])('%s rejects %j', async (api, more, message, status = 400) => {
    const answer = await ask(`/v2/${api}`, { ...(api === 'embed' ? embed : rerank), ...more });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ id: expect.any(String), message: expect.stringContaining(message) });
  });

  test('an invalid key is a 401, and an unknown path a 404', async () => {
    const invalid = { status: 401, body: { message: 'invalid api token' } };
    expect(await ask('/v2/embed', embed, 'invalid')).toMatchObject(invalid);
    const unknown = { status: 404, body: { message: expect.any(String) } };
    expect(await ask('/v2/classify', {})).toMatchObject(unknown);
  });
});

describe('TEI', () => {
  test('ranks are a list, best score first', async () => {
    const texts = documents.slice(0, 2);
    const { body } = await ask('/rerank', { query, texts });
    expect(body).toMatchObject([{ index: 1 }, { index: 0 }]);
    for (const { score } of body) expect(score > 0 && score < 1).toBe(true);
    const raw = (await ask('/rerank', { query, texts, raw_scores: true, return_text: true })).body;
    expect(raw[0]).toEqual({ index: 1, text: texts[1], score: expect.any(Number) });
    expect([raw[0].score > 1, raw[1].score < 0]).toEqual([true, true]);
  });

  test.each<[string, object, number, string, string]>([
    ['embed', { inputs: x(33) }, 413, 'Validation', 'batch size 33 > maximum allowed batch size 32'],
    ['rerank', { query, texts: x(33) }, 413, 'Validation', 'batch size 33 >'],
    ['embed', { inputs: 'x'.repeat(40_000) }, 413, 'Validation', 'less than 8192 tokens. Given: 10000'],
    ['embed', { inputs: [] }, 400, 'Empty', '`inputs` cannot be empty'],
    ['rerank', { query, texts: [] }, 400, 'Empty', '`texts` cannot be empty'],
    ['embed', {}, 422, 'Tokenizer', 'inputs'],
    ['rerank', { texts: documents }, 422, 'Tokenizer', 'query'],
  ])('%s rejects an invalid request: case %#', async (api, request, status, error_type, message) => {
    const body = { error: expect.stringContaining(message), error_type };
    expect(await ask(`/${api}`, request)).toMatchObject({ status, body });
  });
});
