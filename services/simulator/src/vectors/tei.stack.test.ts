import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { post } from '../testing/post.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const ask = (path: string, body: object) => post(simulator.url + path, body);

const texts = ['Bananas are yellow.', 'Paris is the capital of France.'];
const query = 'What is the capital of France?';

test.each<[unknown, number]>([
  ['A cat', 1],
  [['A cat', 'A dog'], 2],
  [[1, 2, 3], 1],
  [[[1, 2], [3]], 2],
])('the answer to the inputs %j is a list of %i vectors', async (inputs, count) => {
  const { status, body } = await ask('/embed', { inputs, dimensions: 8 });
  expect(status).toBe(200);
  expect(body).toHaveLength(count);
  for (const vector of body) {
    expect(vector).toHaveLength(8);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  }
});

test('the base URL names the model', async () => {
  expect((await ask('/tei/some/sim-d24/embed', { inputs: 'A cat' })).body[0]).toHaveLength(24);
  expect(await ask('/tei/fault-429/rerank', { query, texts })).toMatchObject({
    status: 429,
    body: { error: expect.any(String), error_type: 'Overloaded' },
  });
  expect((await ask('/tei/fault-529/embed', { inputs: 'A cat' })).status).toBe(429);
});

test('ranks are a list, best score first', async () => {
  const { body } = await ask('/rerank', { query, texts });
  expect(body).toEqual([
    { index: 1, score: expect.any(Number) },
    { index: 0, score: expect.any(Number) },
  ]);
  for (const { score } of body) expect(score > 0 && score < 1).toBe(true);
  const raw = await ask('/rerank', { query, texts, raw_scores: true, return_text: true });
  expect(raw.body[0]).toEqual({ index: 1, text: texts[1], score: expect.any(Number) });
  expect(raw.body[0].score).toBeGreaterThan(1);
  expect(raw.body[1].score).toBeLessThan(0);
});

test.each<[string, object, number, string, string]>([
  [
    '/embed',
    { inputs: Array(33).fill('x') },
    413,
    'Validation',
    'batch size 33 > maximum allowed batch size 32',
  ],
  ['/rerank', { query, texts: Array(33).fill('x') }, 413, 'Validation', 'batch size 33 >'],
  [
    '/embed',
    { inputs: 'x'.repeat(40_000) },
    413,
    'Validation',
    'must have less than 8192 tokens. Given: 10000',
  ],
  ['/embed', { inputs: [] }, 400, 'Empty', '`inputs` cannot be empty'],
  ['/rerank', { query, texts: [] }, 400, 'Empty', '`texts` cannot be empty'],
  ['/embed', {}, 422, 'Tokenizer', 'inputs'],
  ['/rerank', { texts }, 422, 'Tokenizer', 'query'],
])('%s rejects an invalid request: case %#', async (path, request, status, error_type, message) => {
  expect(await ask(path, request)).toMatchObject({
    status,
    body: { error: expect.stringContaining(message), error_type },
  });
});

test('a text that is too long is accepted with truncate', async () => {
  expect((await ask('/embed', { inputs: 'x'.repeat(40_000), truncate: true })).status).toBe(200);
});
