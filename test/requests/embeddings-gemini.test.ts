import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embedders, startVectorUpstreams, type VectorUpstreams } from '../clients/vector-upstreams.ts';
import { post } from './post.ts';

let gateway: VectorUpstreams;

beforeAll(async () => {
  const house = { name: 'house/vectors:1', targets: [{ provider: 'gemini', model: 'sim-fast' }] };
  const dropped = {
    name: 'dropped',
    targets: [{ provider: 'gemini', model: 'sim-fast' }],
    drop: ['task_type'],
  };
  gateway = await startVectorUpstreams([house, dropped]);
});
afterAll(() => gateway?.stop());

const ask = (path: string, body: unknown, headers = { 'x-goog-api-key': gateway.stack.token } as object) =>
  post(gateway.stack, path, body, headers as Record<string, string>);
const one = (model: string) => `/v1beta/models/${model}:embedContent`;
const batch = (model: string) => `/v1beta/models/${model}:batchEmbedContents`;
const content = (...texts: string[]) => ({ parts: texts.map(text => ({ text })) });
const image = { parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] };

const gemini = 'gemini/sim-fast';
const cohere = 'cohere/sim-fast';

describe('an invalid embedContent request', () => {
  const request = { content: content('x') };
  test.each<[string, object, string]>([
    [one(gemini), {}, 'content'],
    [one(gemini), { content: 5 }, 'content'],
    [one(gemini), { content: {} }, 'content.parts'],
    [one(gemini), { content: { parts: [] } }, 'content.parts'],
    [one(gemini), { content: { parts: [{ text: 5 }] } }, 'content.parts[0].text'],
    [one(gemini), { ...request, taskType: true }, 'taskType'],
    [one(gemini), { ...request, title: [] }, 'title'],
    [one(gemini), { ...request, output_dimensionality: 0 }, 'outputDimensionality'],
    [one(gemini), { ...request, outputDimensionality: 1.5 }, 'outputDimensionality'],
    [one(gemini), { ...request, model: 'models/other' }, 'model'],
    [one(cohere), { ...request, taskType: 'DANCE' }, 'taskType'],
    [one(cohere), { content: image }, 'content.parts[0]'],
    [batch(gemini), {}, 'requests'],
    [batch(gemini), { requests: [] }, 'requests'],
    [batch(gemini), { requests: [request, {}] }, 'requests[1].content'],
    [batch(gemini), { requests: [request, { ...request, model: 'models/other' }] }, 'requests[1].model'],
    [batch(cohere), { requests: [request, { ...request, taskType: 'DANCE' }] }, 'requests[1].taskType'],
    [batch(cohere), { requests: [request, { ...request, taskType: 'CLUSTERING' }] }, 'requests[1]'],
    [batch(cohere), { requests: [request, { content: image }] }, 'requests[1].content.parts[0]'],
  ])('an invalid request to %s is refused: %j: %s', async (path, body, field) => {
    const before = gateway.simulator.requests.length;
    const { status, json } = await ask(path, body);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ fieldViolations: [{ field }] }] },
    });
    expect(gateway.simulator.requests.length).toBe(before);
  });

  test.each([
    [one('nobody'), {}, 404, 'NOT_FOUND'],
    [one(gemini), { 'x-goog-api-key': 'nope' }, 400, 'INVALID_ARGUMENT'],
    [one(gemini), { authorization: 'Bearer nope' }, 401, 'UNAUTHENTICATED'],
    [one('openai/fault-429'), {}, 429, 'RESOURCE_EXHAUSTED'],
    [one('gemini/fault-503'), {}, 503, 'UNAVAILABLE'],
    [one('cohere/fault-500'), {}, 500, 'INTERNAL'],
  ])(
    'a refused request to %s has the error of the format: %j: %i %s',
    async (path, headers, code, status) => {
      const key = Object.keys(headers).length > 0 ? headers : { 'x-goog-api-key': gateway.stack.token };
      const refused = await ask(path, { content: content('x') }, key);
      expect(refused.status).toBe(code);
      expect(refused.json).toMatchObject({ error: { code, status, message: expect.stringMatching(/./) } });
    },
  );
});

describe('embeddings with an upstream of the same format', () => {
  const last = () => gateway.simulator.requests.at(-1);

  test('an upstream of the same format gets one content unchanged but for the model', async () => {
    const body =
      '{ "model":"models/house/vectors:1","content":{"parts":[{"text":"\\u0041"}]},"task_type":"CLUSTERING" }';
    expect((await ask(one('house%2Fvectors:1'), body)).status).toBe(200);
    expect(last()?.path).toBe('/v1beta/models/sim-fast:embedContent');
    expect(last()?.body).toBe(
      '{"model":"models/sim-fast","content":{"parts":[{"text":"\\u0041"}]},"task_type":"CLUSTERING"}',
    );
  });

  test('an upstream of the same format gets a batch in which each request names its model', async () => {
    const named = (model: string) =>
      `{"requests":[{"model":"models/${model}","content":{"parts":[{"text":"a"}]},"taskType":"CLUSTERING"},` +
      `{"model":"models/${model}","content":{"parts":[{"text":"b"}]},"title":"B"}]}`;
    const answer = await ask(batch('house/vectors:1'), named('house/vectors:1'));
    expect(answer.json.embeddings).toHaveLength(2);
    expect(last()?.path).toBe('/v1beta/models/sim-fast:batchEmbedContents');
    expect(JSON.parse(last()?.body ?? '')).toEqual(JSON.parse(named('sim-fast')));
    await ask(batch('house/vectors:1'), {
      requests: [{ content: content('x') }],
    });
    expect(gateway.received()).toEqual({ requests: [{ content: content('x'), model: 'models/sim-fast' }] });
  });

  test('an upstream of the same format does not get fields that its model does not support', async () => {
    const request = { content: content('x'), taskType: 'CLUSTERING' };
    await ask(one('dropped'), request);
    expect(gateway.received()).toEqual({ content: content('x') });
    await ask(batch('dropped'), { requests: [request] });
    expect(gateway.received()).toEqual({ requests: [{ content: content('x'), model: 'models/sim-fast' }] });
  });

  test('an upstream of the same format embeds content that is not text', async () => {
    expect((await ask(one(gemini), { content: image })).status).toBe(200);
  });
});

describe.each(embedders)('embedContent with an upstream of %s', upstream => {
  const model = `${upstream}/sim-fast`;

  test.each([
    `/v1beta/models/${model}`,
    `/v1/models/${model.replace('/', '%2F')}`,
    `/v1alpha/models/${model}`,
    `/v1beta/${model}`,
  ])('%s is served, in camel case and snake case', async path => {
    const whole = await ask(`${path}:embedContent`, {
      content: content('Hello'),
      task_type: 'RETRIEVAL_QUERY',
      output_dimensionality: 256,
    });
    expect(whole.status).toBe(200);
    expect(whole.json.embedding.values).toHaveLength(256);
    expect(whole.json.usageMetadata.promptTokenCount).toBeGreaterThan(0);
    const many = await ask(`${path}:batchEmbedContents`, {
      requests: ['Hello', 'there'].map(text => ({
        content: content(text),
        taskType: 'RETRIEVAL_QUERY',
        outputDimensionality: 256,
      })),
    });
    expect(many.json.embeddings).toHaveLength(2);
    expect(many.json.embeddings[0]).toEqual(whole.json.embedding);
  });
});

test("a batch over the vendor's limit is split", async () => {
  const requests = Array.from({ length: 5 }, (_, i) => ({
    content: content(`text ${i}`),
    taskType: 'RETRIEVAL_DOCUMENT',
    title: 'T',
  }));
  const whole = await ask(batch(gemini), {
    requests: requests.map(each => ({ ...each, model: 'models/gemini/sim-fast' })),
  });
  const before = gateway.simulator.requests.length;
  const { json } = await ask(batch('two/sim-fast'), { requests });
  expect(json).toEqual({ ...whole.json, usageMetadata: { promptTokenCount: expect.any(Number) } });
  expect(json.usageMetadata.promptTokenCount).toBe(whole.json.usageMetadata.promptTokenCount);
  const sent = gateway.simulator.requests.slice(before);
  expect(sent.map(({ body }) => JSON.parse(String(body)).requests.length).toSorted()).toEqual([1, 2, 2]);
  expect(gateway.received()).toMatchObject({ requests: [{ taskType: 'RETRIEVAL_DOCUMENT', title: 'T' }] });
});
