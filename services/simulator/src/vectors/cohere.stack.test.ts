import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { post } from '../testing/post.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const ask = (path: string, body: object, key = 'any') =>
  post(simulator.url + path, body, { authorization: `Bearer ${key}` });

const embed = { model: 'sim-d16', input_type: 'search_document', texts: ['A cat', 'A dog'] };
const documents = ['Bananas are yellow.', 'Paris is the capital of France.', 'Rome is the capital of Italy.'];
const rerank = { model: 'sim-fast', query: 'What is the capital of France?', documents };

test('vectors are returned in each requested type', async () => {
  const embedding_types = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'];
  const { status, body } = await ask('/v2/embed', { ...embed, embedding_types });
  expect(status).toBe(200);
  const { float, int8, uint8, binary, ubinary, base64 } = body.embeddings;
  expect(float).toHaveLength(2);
  expect(Math.hypot(...float[0])).toBeCloseTo(1, 5);
  expect(int8[0]).toEqual(float[0].map((number: number) => Math.round(number * 127)));
  expect(uint8[0]).toEqual(int8[0].map((number: number) => number + 128));
  expect(ubinary[0]).toHaveLength(2);
  expect(binary[0]).toEqual(ubinary[0].map((number: number) => number - 128));
  expect(Buffer.from(base64[0], 'base64').readFloatLE(0)).toBe(float[0][0]);
  expect(body).toMatchObject({
    id: expect.any(String),
    texts: embed.texts,
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 4 } },
  });
});

test('vectors are floats by default, in the requested dimension', async () => {
  const inputs = [{ content: [{ type: 'text', text: 'A cat' }] }];
  const { texts, ...rest } = embed;
  const { body } = await ask('/v2/embed', { ...rest, inputs, output_dimension: 512 });
  expect(Object.keys(body.embeddings)).toEqual(['float']);
  expect(body.embeddings.float[0]).toHaveLength(512);
});

test('documents are ranked by score, without their texts', async () => {
  const { status, body } = await ask('/v2/rerank', { ...rerank, top_n: 2 });
  expect(status).toBe(200);
  expect(body.results).toEqual([
    { index: 1, relevance_score: expect.any(Number) },
    { index: 2, relevance_score: expect.any(Number) },
  ]);
  expect(body.results[0].relevance_score).toBeGreaterThan(body.results[1].relevance_score);
  expect(body.meta.billed_units).toEqual({ search_units: 1 });
  const many = await ask('/v2/rerank', { ...rerank, documents: Array(101).fill('x') });
  expect(many.body.results).toHaveLength(101);
  expect(many.body.meta.billed_units).toEqual({ search_units: 2 });
});

test.each<[string, object, string, number?]>([
  ['/v2/embed', { model: undefined }, 'invalid request: model must be specified'],
  ['/v2/embed', { input_type: undefined }, 'invalid request: valid input_type must be provided'],
  ['/v2/embed', { texts: undefined }, 'invalid request: exactly one of'],
  [
    '/v2/embed',
    { texts: Array(97).fill('x') },
    'invalid request: total number of texts must be at most 96 - received 97',
  ],
  ['/v2/embed', { output_dimension: 100 }, 'invalid request: output_dimension must be one of'],
  ['/v2/embed', { embedding_types: ['hex'] }, 'invalid request: embedding_types must be among'],
  ['/v2/embed', { input: ['a'] }, 'unknown field', 422],
  ['/v2/rerank', { model: undefined }, 'invalid request: model must be specified'],
  ['/v2/rerank', { query: ' ' }, 'invalid request: query must not be empty'],
  ['/v2/rerank', { documents: [] }, 'invalid request: list of documents must not be empty'],
  ['/v2/rerank', { documents: [{ text: 'a' }] }, 'invalid request: documents must be strings'],
  ['/v2/rerank', { top_n: 0 }, 'invalid request: top_n must be at least 1'],
  ['/v2/rerank', { return_documents: true }, 'unknown field', 422],
])('%s rejects %j', async (path, more, message, status = 400) => {
  const answer = await ask(path, { ...(path === '/v2/embed' ? embed : rerank), ...more });
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({ id: expect.any(String), message: expect.stringContaining(message) });
});

test('an invalid key is a 401, and an unknown path a 404', async () => {
  expect(await ask('/v2/embed', embed, 'invalid')).toMatchObject({
    status: 401,
    body: { message: 'invalid api token' },
  });
  expect(await ask('/v2/classify', {})).toMatchObject({ status: 404, body: { message: expect.any(String) } });
});
