import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../start.ts';
import { post } from '../testing/post.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const ask = (more: object) =>
  post(`${simulator.url}/v1/rerank`, { model: 'any-model', query, documents, ...more });

const query = 'What is the capital of France?';
const documents = ['Bananas are yellow.', { text: 'Paris is the capital of France.' }, 'Rome lies in Italy.'];

test('documents come in order, with their texts', async () => {
  const { status, body } = await ask({});
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: expect.stringMatching(/^rerank-/), object: 'list', model: 'any-model' });
  const tokens = [query, ...documents]
    .map(one => (typeof one === 'string' ? one : one.text))
    .reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
  expect(body.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
  expect(body.results).toHaveLength(3);
  expect(body.results[0]).toEqual({
    index: 1,
    document: { text: 'Paris is the capital of France.' },
    relevance_score: expect.any(Number),
  });
  const scores = body.results.map((one: { relevance_score: number }) => one.relevance_score);
  expect(scores).toEqual(scores.toSorted((one: number, other: number) => other - one));
  for (const score of scores) expect(score > 0 && score < 1).toBe(true);
});

test('so many as are asked for, without their texts where they are not wanted', async () => {
  expect((await ask({ top_n: 1 })).body.results).toHaveLength(1);
  for (const top_n of [0, 9]) expect((await ask({ top_n })).body.results).toHaveLength(3);
  const [first] = (await ask({ return_documents: false })).body.results;
  expect(first).toEqual({ index: 1, relevance_score: expect.any(Number) });
});

test.each<[object, string]>([
  [{ query: '' }, 'query'],
  [{ query: undefined }, 'query'],
  [{ model: undefined }, 'model'],
  [{ documents: [] }, 'documents'],
  [{ documents: 'a' }, 'documents'],
  [{ documents: ['a', { image: 'b' }] }, 'documents[1].text'],
  [{ top_n: -1 }, 'top_n'],
])('%j is refused', async (more, param) => {
  const { status, body } = await ask(more);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ type: 'invalid_request_error', param, message: expect.any(String) });
});
