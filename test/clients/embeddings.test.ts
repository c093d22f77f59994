import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { GoogleGenAI } from '@google/genai';
import { type EmbeddingModel, embed, embedMany } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embedders, startVectorUpstreams, type VectorUpstreams } from './vector-upstreams.ts';

let gateway: VectorUpstreams;
let openai: OpenAI;
let google: GoogleGenAI;

beforeAll(async () => {
  gateway = await startVectorUpstreams();
  const { url, token } = gateway.stack;
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } });
});
afterAll(() => gateway?.stop());

const texts = ['A cat sleeps.', 'Ein Hund bellt.', 'The cat is asleep.', '猫が眠る。'];
const floats = (numbers: readonly number[]) => [...Float32Array.from(numbers)];

/** The vectors that the simulator generates; every client must read the same numbers. */
const expected = async (input: string[], dimensions?: number) => {
  const response = await fetch(`${gateway.simulator.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-fast', input, dimensions }),
  });
  const { data } = (await response.json()) as { data: { embedding: number[] }[] };
  return data.map(({ embedding }) => embedding);
};

describe.each(embedders)('embeddings with an upstream of %s', upstream => {
  const model = `${upstream}/sim-fast`;

  test('the openai SDK gets one vector and many', async () => {
    const one = await openai.embeddings.create({ model, input: 'A cat sleeps.' });
    expect(one).toMatchObject({ object: 'list', data: [{ object: 'embedding', index: 0 }] });
    expect(one.usage.total_tokens).toBe(one.usage.prompt_tokens);
    expect(one.usage.prompt_tokens).toBeGreaterThan(0);
    const many = await openai.embeddings.create({ model, input: texts });
    expect(many.data.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(many.data.map(({ embedding }) => embedding)).toEqual(await expected(texts));
  });

  test('the openai SDK gets vectors in the requested encoding', async () => {
    const asked = { model, input: texts, dimensions: 256 };
    const numbers = await openai.embeddings.create({ ...asked, encoding_format: 'float' });
    expect(numbers.data.map(({ embedding }) => embedding)).toEqual(await expected(texts, 256));
    const encoded = await openai.embeddings.create({ ...asked, encoding_format: 'base64' });
    const bytes = encoded.data.map(({ embedding }) => Buffer.from(String(embedding), 'base64'));
    const read = bytes.map(each => Array.from({ length: 256 }, (_, i) => each.readFloatLE(i * 4)));
    expect(read).toEqual(await expected(texts, 256));
  });

  test.each<[string, (id: string) => EmbeddingModel]>([
    [
      'openai',
      id => createOpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token }).embedding(id),
    ],
    [
      'openai-compatible',
      id =>
        createOpenAICompatible({
          name: 'gateway',
          baseURL: `${gateway.stack.url}/v1`,
          apiKey: gateway.stack.token,
        }).embeddingModel(id),
    ],
    [
      'google',
      id =>
        createGoogleGenerativeAI({
          baseURL: `${gateway.stack.url}/v1beta`,
          apiKey: gateway.stack.token,
        }).embeddingModel(id),
    ],
  ])('the AI SDK embeds one value and many through %s', async (_, modelOf) => {
    const [first = []] = await expected(texts);
    const one = await embed({ model: modelOf(model), value: texts[0] as string });
    expect(floats(one.embedding)).toEqual(first);
    const many = await embedMany({ model: modelOf(model), values: texts });
    expect(many.embeddings.map(floats)).toEqual(await expected(texts));
  });

  test('the @google/genai SDK embeds one value and many, with a task', async () => {
    const one = await google.models.embedContent({ model, contents: 'A cat sleeps.' });
    expect(one.embeddings?.map(({ values }) => values)).toEqual(await expected(['A cat sleeps.']));
    const config = { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 256 };
    const many = await google.models.embedContent({ model, contents: texts, config });
    expect(many.embeddings?.map(({ values }) => values)).toEqual(await expected(texts, 256));
  });
});
