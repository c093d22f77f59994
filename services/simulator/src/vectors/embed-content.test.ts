import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../start.ts';
import { post } from '../testing/post.ts';

let simulator: StartedSimulator;
let client: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: simulator.url } });
});
afterAll(() => simulator.close());

const model = 'sim-d32';
const content = { parts: [{ text: 'A cat' }] };

const ask = (method: string, body: object, version = 'v1beta') =>
  post(`${simulator.url}/${version}/models/${model}:${method}`, body);

describe('the Google client', () => {
  test('gets vectors in order', async () => {
    const contents = ['A cat', 'A dog', 'A cat'];
    const { embeddings = [] } = await client.models.embedContent({ model, contents });
    const [first, second, third] = embeddings.map(({ values }) => values);
    expect(first).toHaveLength(32);
    expect(Math.hypot(...(first ?? []))).toBeCloseTo(1, 5);
    expect(third).toEqual(first);
    expect(second).not.toEqual(first);
  });

  test('says what they are for and how long', async () => {
    const config = { taskType: 'RETRIEVAL_DOCUMENT', title: 'Cats', outputDimensionality: 5 };
    const { embeddings } = await client.models.embedContent({ model, contents: 'A cat', config });
    expect(embeddings?.[0]?.values).toHaveLength(5);
  });

  test('is told that there were too many', async () => {
    const contents = Array<string>(101).fill('A cat');
    await expect(client.models.embedContent({ model, contents })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('at most 100 requests can be in one batch'),
    });
  });

  test.each(['fault-400', 'fault-429', 'fault-500'])('%s is thrown', async name => {
    await expect(client.models.embedContent({ model: name, contents: 'A cat' })).rejects.toMatchObject({
      status: Number(name.slice(-3)),
    });
  });
});

test.each(['v1', 'v1beta', 'v1alpha'])('one is what the first of many is, under %s', async version => {
  const one = await ask('embedContent', { content }, version);
  const many = await ask(
    'batchEmbedContents',
    { requests: [{ model: `models/${model}`, content }] },
    version,
  );
  expect([one.status, many.status]).toEqual([200, 200]);
  expect(many.body.embeddings).toEqual([one.body.embedding]);
  expect(one.body.usageMetadata).toMatchObject({ promptTokenCount: 2 });
});

test('fields may be in snake_case', async () => {
  const { body } = await ask('embedContent', { content, output_dimensionality: 3 });
  expect(body.embedding.values).toHaveLength(3);
});

test.each<[string, object]>([
  ['embedContent', {}],
  ['embedContent', { content: { parts: [] } }],
  ['embedContent', { content, taskType: 'GUESSING' }],
  ['embedContent', { content, outputDimensionality: 0 }],
  ['embedContent', { content, dimensions: 3 }],
  ['batchEmbedContents', {}],
  ['batchEmbedContents', { requests: [] }],
  ['batchEmbedContents', { requests: [{ content }] }],
  ['batchEmbedContents', { requests: [{ model, content }] }],
  ['batchEmbedContents', { requests: [{ model: 'models/another', content }] }],
])('%s refuses %j', async (method, request) => {
  const { status, body } = await ask(method, request);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT', message: expect.any(String) });
});
