import { type BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime';
import { accessKey, type Recorded } from '@model-gateway/simulator';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { awsClient, region } from './aws-client.ts';

const titan = 'amazon.titan-embed-text-v2:0/sim-fast';
const v3 = 'cohere.embed-multilingual-v3/sim-fast';
const v4 = 'us.cohere.embed-v4:0/sim-fast';

let gateway: Simulated;
let openai: OpenAI;
let aws: BedrockRuntimeClient;

beforeAll(async () => {
  gateway = await startSimulated(url => {
    const options = { region, accessKeyId: accessKey.id };
    const provider = { kind: 'bedrock', baseUrl: url, apiKey: { value: accessKey.secret } };
    const target = (provider: string, model: string) => ({ provider, model });
    return {
      providers: [
        { ...provider, name: 'aws', options: { ...options, guardrail: 'gr4dr41l1d' } },
        { ...provider, name: 'many', options, batch: 50 },
      ],
      models: [
        { name: 'aws/*', targets: [target('aws', '*')] },
        { name: 'many', targets: [target('many', titan)] },
      ],
    };
  });
  const { url, token } = gateway.stack;
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  aws = awsClient(gateway.simulator);
});
afterAll(async () => {
  aws?.destroy();
  await gateway?.stop();
});

const last = () => gateway.simulator.requests.at(-1) as Recorded;
const embed = (model: string, input: string | string[], fields: object = {}) =>
  openai.embeddings.create({ model, input, encoding_format: 'float', ...fields });

/** Sends a body with the SDK of AWS, and returns its request at the simulator and the answer. */
async function invoked(modelId: string, body: object) {
  const command = { modelId, contentType: 'application/json', accept: 'application/json' };
  const answer = await aws.send(new InvokeModelCommand({ ...command, body: JSON.stringify(body) }));
  return { sent: last(), answer: JSON.parse(answer.body.transformToString()) };
}

function expectSame(ours: Recorded, theirs: Recorded): void {
  expect(ours.path).toBe(theirs.path);
  expect(JSON.parse(ours.body)).toEqual(JSON.parse(theirs.body));
  for (const name of ['content-type', 'accept']) expect(ours.headers[name]).toBe(theirs.headers[name]);
  expect(ours.headers).not.toHaveProperty('x-amzn-bedrock-guardrailidentifier');
}

describe('Titan', () => {
  test('a request is as the SDK of AWS sends it, and its vector and tokens are those of the answer', async () => {
    const { sent, answer } = await invoked(titan, { inputText: 'A cat', dimensions: 512 });
    const { data, usage } = await embed(`aws/${titan}`, 'A cat', { dimensions: 512 });
    expectSame(last(), sent);
    expect(data).toEqual([{ object: 'embedding', index: 0, embedding: answer.embedding }]);
    expect(usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
  });

  test.each([`aws/${titan}`, 'many'])('several texts are a request each, in order: %s', async model => {
    const before = gateway.simulator.requests.length;
    const { data, usage } = await embed(model, ['A cat', 'A dog', 'A bird']);
    const alone = await embed(model, 'A bird');
    expect(gateway.simulator.requests.length - before).toBe(4);
    expect(data[2]?.embedding).toEqual(alone.data[0]?.embedding);
    expect(usage.prompt_tokens).toBe(6);
  });

  test.each([
    [{ dimensions: 300 }, { status: 400 }],
    [{ truncate: true }, { status: 400, param: 'truncate', code: 'unsupported_value' }],
    [{ input: [1, 2] }, { status: 400, param: 'input', code: 'unsupported_value' }],
  ])('%j is refused', async (fields, error) => {
    await expect(embed(`aws/${titan}`, 'A cat', fields)).rejects.toMatchObject(error);
  });
});

describe('Cohere', () => {
  const both = { texts: ['A cat', 'A dog'], embedding_types: ['float'] };

  test.each([
    [v3, { input_type: 'query', truncate: true }, { input_type: 'search_query', truncate: 'END' }],
    [v4, { truncate: true }, { input_type: 'search_document', truncate: 'RIGHT' }],
    [v4, { dimensions: 512 }, { input_type: 'search_document', output_dimension: 512 }],
  ])('a request of %s with %j is as the SDK of AWS sends it', async (model, fields, sentFields) => {
    const { sent, answer } = await invoked(model, { ...both, ...sentFields });
    const { data } = await embed(`aws/${model}`, both.texts, fields);
    expectSame(last(), sent);
    expect(data.map(({ embedding }) => embedding)).toEqual(answer.embeddings.float);
  });

  test('more than 96 texts are several requests, and the tokens are an estimate', async () => {
    const before = gateway.simulator.requests.length;
    const texts = Array.from({ length: 100 }, (_, at) => `Text ${at}`);
    expect((await embed(`aws/${v4}`, texts)).data).toHaveLength(100);
    expect(gateway.simulator.requests.length - before).toBe(2);
    await expect
      .poll(() => gateway.stack.usage.at(-1))
      .toMatchObject({ provider: 'aws', operation: 'embed', estimated: expect.anything() });
  });
});

test.each([titan, v3])('errors of %s are those of Bedrock', async model => {
  const family = model.split('/')[0];
  await expect(embed(`aws/${family}/fault-429`, 'A cat')).rejects.toMatchObject({ status: 429 });
  await expect(embed(`aws/${family}/fault-404`, 'A cat')).rejects.toMatchObject({ status: 404 });
});
