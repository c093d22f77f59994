import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rankers, startVectorUpstreams, type VectorUpstreams } from '../clients/vector-upstreams.ts';
import { post } from './post.ts';

let gateway: VectorUpstreams;

beforeAll(async () => {
  const target = (provider: string, model = 'sim-fast') => ({ provider, model });
  gateway = await startVectorUpstreams([
    { name: 'failover', targets: [target('tei-429'), target('cohere', 'fault-503'), target('jina')] },
    { name: 'vectors-only', targets: [target('gemini')] },
  ]);
});
afterAll(() => gateway?.stop());

const rerank = (body: unknown, path = '/v1/rerank', headers?: Record<string, string>) =>
  post(gateway.stack, path, body, headers);

const model = 'cohere/sim-fast';
const query = 'capital of France';
const documents = ['Bananas are yellow.', 'Paris is the capital of France.', 'Rome is the capital of Italy.'];
const missing = 'missing_required_parameter';

describe('an invalid rerank request', () => {
  const good = { model, query, documents };
  test.each<[object | string, string | null, string | null]>([
    [{ query, documents }, 'model', missing],
    [{ ...good, model: '' }, 'model', 'invalid_value'],
    [{ model, documents }, 'query', missing],
    [{ ...good, query: '' }, 'query', 'invalid_value'],
    [{ ...good, query: ['x'] }, 'query', 'invalid_type'],
    [{ model, query }, 'documents', missing],
    [{ ...good, documents: [] }, 'documents', 'empty_array'],
    [{ ...good, documents: 'x' }, 'documents', 'invalid_type'],
    [{ ...good, documents: ['x', 5] }, 'documents[1]', 'invalid_type'],
    [{ ...good, documents: ['x', null] }, 'documents[1]', 'invalid_type'],
    [{ ...good, documents: [{ text: 'x' }, { title: 'x' }] }, 'documents[1].text', missing],
    [{ ...good, documents: [{ text: null }] }, 'documents[0].text', missing],
    [{ ...good, documents: [{ text: 'x' }], rank_fields: ['title'] }, 'documents[0].title', missing],
    [{ ...good, documents: [{ text: 'x' }], rank_fields: ['toString'] }, 'documents[0].toString', missing],
    [
      { ...good, documents: Array.from({ length: 10_001 }, () => 'x') },
      'documents',
      'array_above_max_length',
    ],
    [{ ...good, top_n: -1 }, 'top_n', 'integer_below_min_value'],
    [{ ...good, top_n: 1.5 }, 'top_n', 'invalid_type'],
    [{ ...good, top_n: '1' }, 'top_n', 'invalid_type'],
    [{ ...good, return_documents: 'yes' }, 'return_documents', 'invalid_type'],
    [{ ...good, rank_fields: 'text' }, 'rank_fields', 'invalid_type'],
    [{ ...good, max_tokens_per_doc: 0 }, 'max_tokens_per_doc', 'integer_below_min_value'],
    ['{', null, null],
  ])('an invalid rerank request is refused: %j: %s, %s', async (body, param, code) => {
    const before = gateway.simulator.requests.length;
    for (const path of ['/v1/rerank', '/v2/rerank', '/rerank']) {
      const { status, json } = await rerank(body, path);
      expect(status).toBe(400);
      expect(json).toEqual({
        error: { type: 'invalid_request_error', param, code, message: json.message },
        message: expect.stringMatching(/./),
      });
    }
    expect(gateway.simulator.requests.length).toBe(before);
  });

  test.each<[string, number, string, string | null]>([
    ['nobody', 404, 'model_not_found', null],
    ['vectors-only', 400, 'unsupported_model', 'model'],
  ])('a rerank request for the model %s is refused: %i, %s', async (name, status, code, param) => {
    const refused = await rerank({ model: name, query, documents });
    expect(refused.status).toBe(status);
    expect(refused.json).toMatchObject({ error: { param, code }, message: expect.stringMatching(/./) });
  });

  test('a rerank request without a token is refused', async () => {
    const refused = await rerank({ model, query, documents }, '/v2/rerank', {});
    expect(refused).toMatchObject({ status: 401, json: { message: expect.stringMatching(/./) } });
  });
});

describe.each(rankers)('rerank with an upstream of %s', upstream => {
  const asked = { model: `${upstream}/sim-fast`, query, documents };

  test('a rerank response has the fields that every client reads', async () => {
    const { status, json } = await rerank({ ...asked, return_documents: true });
    expect(status).toBe(200);
    const counted = upstream === 'jina' ? expect.any(Number) : 0;
    expect(json).toEqual({
      id: expect.stringMatching(/./),
      object: 'list',
      model: expect.stringContaining('sim-fast'),
      results: [1, 2, 0].map(index => ({
        index,
        relevance_score: expect.any(Number),
        document: { text: documents[index] },
      })),
      usage: { prompt_tokens: counted, completion_tokens: 0, total_tokens: counted },
      meta: {
        api_version: { version: '2' },
        billed_units: { search_units: 1 },
        tokens: { input_tokens: counted, output_tokens: 0 },
      },
    });
    const scores = json.results.map((each: { relevance_score: number }) => each.relevance_score);
    expect(scores).toEqual(scores.toSorted((one: number, other: number) => other - one));
  });

  test.each([
    [undefined, 3],
    [null, 3],
    [0, 3],
    [1, 1],
    [2, 2],
    [3, 3],
    [50, 3],
  ])('top_n of %s returns %i results', async (top_n, count) => {
    const { json } = await rerank({ ...asked, top_n });
    expect(json.results).toHaveLength(count);
    expect(json.results[0].index).toBe(1);
    expect(json.results[0]).not.toHaveProperty('document');
  });

  test('documents may be objects, and are returned unchanged', async () => {
    const objects = documents.map((text, i) => ({ id: i, text, tags: ['a', { b: 1 }] }));
    const { json } = await rerank({ ...asked, documents: objects, top_n: 1, return_documents: true });
    expect(json.results).toMatchObject([{ index: 1, document: objects[1] }]);
  });

  test('a rerank request may have many documents', async () => {
    const many = Array.from({ length: 150 }, (_, i) => `Document ${i} is about bananas.`);
    many[137] = 'Paris is the capital of France.';
    const { json } = await rerank({ ...asked, documents: many, top_n: 3 });
    expect(json.results).toHaveLength(3);
    expect(json.results[0].index).toBe(137);
    const all = await rerank({ ...asked, documents: many });
    const indices = all.json.results.map(({ index }: { index: number }) => index);
    expect(new Set(indices).size).toBe(150);
    expect(json.meta.billed_units.search_units).toBe(2);
  });
});

test('an object is ranked by its fields, in the order of rank_fields', async () => {
  const objects = [
    { title: 'France', text: 'Paris', year: 1789 },
    { text: 'Rome', year: null },
  ];
  await rerank({ model, query, documents: objects, rank_fields: ['year', 'text', 'title'] });
  expect(gateway.received()).toMatchObject({ documents: ['1789\nParis\nFrance', 'Rome'] });
});

test('each upstream gets its own field names, and only what the client requested', async () => {
  const asked = {
    query,
    documents,
    top_n: 2,
    return_documents: true,
    max_tokens_per_doc: 9,
    rank_fields: ['text'],
  };
  await rerank({ ...asked, model: 'cohere/sim-fast' });
  const same = { model: 'sim-fast', query, documents, top_n: 2, max_tokens_per_doc: 9 };
  expect(gateway.received()).toEqual(same);
  expect(gateway.simulator.requests.at(-1)?.path).toBe('/v2/rerank');
  await rerank({ ...asked, model: 'jina/sim-fast' });
  expect(gateway.received()).toEqual(same);
  await rerank({ ...asked, model: 'tei/sim-fast' });
  expect(gateway.received()).toEqual({ query, texts: documents, raw_scores: false, truncate: true });
  await rerank({ query, documents, model: 'jina/sim-fast' });
  expect(gateway.received()).toEqual({ model: 'sim-fast', query, documents });
});

test('a failed target is followed by one of another format', async () => {
  const { status, json } = await rerank({ model: 'failover', query, documents });
  expect(status).toBe(200);
  expect(json.results[0].index).toBe(1);
});

test("an upstream's message is returned where each client reads it", async () => {
  const { status, json, headers } = await rerank({ model: 'cohere/fault-429', query, documents });
  expect(status).toBe(429);
  expect(json).toEqual({
    error: { message: json.message, type: 'requests', param: null, code: 'rate_limit_exceeded' },
    message: expect.stringMatching(/./),
  });
  expect(headers.get('retry-after')).toBe('7');
});
