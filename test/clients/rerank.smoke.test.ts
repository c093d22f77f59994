import { createCohere } from '@ai-sdk/cohere';
import { rerank } from 'ai';
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rankers, startVectorUpstreams, type VectorUpstreams } from './vector-upstreams.ts';

let gateway: VectorUpstreams;
let first: CohereClient;
let second: CohereClientV2;

beforeAll(async () => {
  gateway = await startVectorUpstreams();
  const { url: environment, token } = gateway.stack;
  first = new CohereClient({ token, environment });
  second = new CohereClientV2({ token, environment });
});
afterAll(() => gateway?.stop());

const query = 'What is the capital of France?';
const documents = [
  'Bananas are yellow.',
  'The capital of France is Paris.',
  'France is a country in Europe.',
  'Rome is the capital of Italy.',
];

describe.each(rankers)('rerank with an upstream of %s', upstream => {
  const model = `${upstream}/sim-fast`;

  test('cohere-ai ranks by the first version, and gets the documents', async () => {
    const answer = await first.rerank({ model, query, documents, returnDocuments: true });
    expect(answer.results.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3]);
    const scores = answer.results.map(({ relevanceScore }) => relevanceScore);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(answer.results[0]).toMatchObject({ index: 1, document: { text: documents[1] } });
    expect(answer.meta?.billedUnits?.searchUnits).toBe(1);
    expect(answer.id).toMatch(/./);
  });

  test('cohere-ai ranks objects by their fields', async () => {
    const objects = documents.map((text, i) => ({ title: text, text: 'nothing', id: `d${i}` }));
    const asked = { model, query, documents: objects, rankFields: ['title'], topN: 1 };
    const answer = await first.rerank({ ...asked, returnDocuments: true });
    expect(answer.results).toMatchObject([{ index: 1, document: objects[1] }]);
  });

  test('cohere-ai ranks by the second version, and gets only the best', async () => {
    const answer = await second.rerank({ model, query, documents, topN: 2 });
    expect(answer.results).toHaveLength(2);
    expect(answer.results[0]?.index).toBe(1);
    expect(answer.results[0]?.relevanceScore).toBeGreaterThan(answer.results[1]?.relevanceScore ?? 1);
    expect(answer.results[0]).not.toHaveProperty('document');
  });

  test('the AI SDK ranks through its Cohere provider', async () => {
    const { url, token } = gateway.stack;
    const cohere = createCohere({ baseURL: `${url}/v2`, apiKey: token });
    const answer = await rerank({ model: cohere.reranking(model), query, documents, topN: 2 });
    expect(answer.rerankedDocuments[0]).toBe(documents[1]);
    expect(answer.ranking.map(({ originalIndex }) => originalIndex)).toHaveLength(2);
    expect(answer.ranking[0]?.score).toBeGreaterThan(answer.ranking[1]?.score ?? 1);
  });
});

test('all upstreams return the same ranks', async () => {
  const ranks = await Promise.all(
    rankers.map(async upstream => {
      const { results } = await second.rerank({ model: `${upstream}/sim-fast`, query, documents });
      return results;
    }),
  );
  expect(ranks[1]).toEqual(ranks[0]);
  expect(ranks[2]).toEqual(ranks[0]);
});

test.each([
  ['nobody', 404, 'does not exist'],
  ['cohere/fault-429', 429, ''],
])('cohere-ai throws an error with the reason for %s', async (model, statusCode, message) => {
  const refused = second.rerank({ model, query, documents }, { maxRetries: 0 });
  await expect(refused).rejects.toBeInstanceOf(CohereError);
  await expect(refused).rejects.toMatchObject({
    statusCode,
    body: { message: expect.stringContaining(message), error: { param: null } },
  });
});
