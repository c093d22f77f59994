import type { EmbedRequest } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { CanonicalInput, VerbatimInput } from '../dialect.ts';
import { embedContentDialect } from './dialect.ts';

const envelope = { requestId: 'req_1', format: 'embed-content' } as VerbatimInput['envelope'];
const common = { envelope, model: 'up', drop: [], limits: {} };
const verbatim = (text: string, inputs?: number): VerbatimInput => ({
  ...common,
  envelope: { ...envelope, ...(inputs !== undefined && { inputs }) },
  body: 'verbatim',
  text: Buffer.from(text),
});
const translated = (request: EmbedRequest): CanonicalInput<EmbedRequest> => ({
  ...common,
  body: 'canonical',
  request,
});
const content = (text: string) => ({ parts: [{ text }] });

describe('a translated request', () => {
  test('a translated request is a batch with the same settings in each request', () => {
    const request: EmbedRequest = {
      inputs: ['a', 'b'],
      task: 'question-answering',
      title: 'T',
      dimensions: 5,
      encoding: 'base64',
      extensions: { 'embed-content': { newest: 1 }, embeddings: { x: 1 } },
    };
    const { path, body } = embedContentDialect.encode(translated(request));
    expect(path).toBe('/v1beta/models/up:batchEmbedContents');
    expect(JSON.parse(body.toString())).toEqual({
      requests: ['a', 'b'].map(text => ({
        model: 'models/up',
        content: content(text),
        taskType: 'QUESTION_ANSWERING',
        title: 'T',
        outputDimensionality: 5,
        newest: 1,
      })),
    });
  });

  test.each<[Partial<EmbedRequest>, string]>([
    [{}, 'a'],
    [{ task: 'query', title: 'T' }, 'task: search result | query: a'],
    [{ task: 'code-query' }, 'task: code retrieval | query: a'],
    [{ task: 'document' }, 'title: none | text: a'],
    [{ title: 'T' }, 'title: T | text: a'],
  ])('a model that takes the task in the text alone gets %j as the text %s', (settings, text) => {
    for (const model of ['gemini-embedding-2', 'gemini-embedding-2-preview']) {
      const input = { ...translated({ inputs: ['a'], ...settings }), model };
      const requests = [{ model: `models/${model}`, content: content(text) }];
      expect(JSON.parse(embedContentDialect.encode(input).body.toString())).toEqual({ requests });
      const dropped = { ...input, drop: ['task_type', 'title'] };
      expect(embedContentDialect.encode(dropped).body.toString()).toContain('"text":"a"');
    }
  });

  test('token inputs are refused', () => {
    expect(() => embedContentDialect.encode(translated({ inputs: ['a', [1]] }))).toThrow(
      expect.objectContaining({
        kind: 'invalid-request',
        details: { path: 'inputs[1]', code: 'unsupported_value' },
      }),
    );
  });

  test.each(['../secret', 'a/../b'])('model name %s is refused', model => {
    expect(() => embedContentDialect.encode({ ...translated({ inputs: ['a'] }), model })).toThrow(
      expect.objectContaining({ details: { param: 'model' } }),
    );
  });
});

describe('a verbatim request', () => {
  test('a verbatim request for one content is sent unchanged', () => {
    const text = '{"content":{"parts":[{"text":"\\u0041"}]},  "x":12345678901234567890}';
    const { path, body } = embedContentDialect.encode({ ...verbatim(text), model: 'tunedModels/t' });
    expect(path).toBe('/v1beta/tunedModels/t:embedContent');
    expect(body.toString()).toBe('{"content":{"parts":[{"text":"\\u0041"}]},"x":12345678901234567890}');
  });

  test("a verbatim batch with the upstream's model name is sent unchanged", () => {
    const requests = '[ {"model":"models/up","content":{"parts":[{"text":"\\u0041"}]}} ]';
    const { path, body } = embedContentDialect.encode(verbatim(`{"requests": ${requests}}`, 1));
    expect(path).toBe('/v1beta/models/up:batchEmbedContents');
    expect(body.toString()).toContain(requests);
  });

  test("a verbatim batch gets the upstream's model name and keeps exact numbers", () => {
    const text = '{"requests":[{"content":{},"model":"models/m","x":12345678901234567890}]}';
    const { body } = embedContentDialect.encode(verbatim(text, 1));
    expect(body.toString()).toBe(
      '{"requests":[{"content":{},"model":"models/up","x":12345678901234567890}]}',
    );
  });

  test.each(['task_type', 'taskType'])('a dropped field is removed in either spelling: %s', name => {
    const dropped = { ...verbatim(`{"task_type":"x","content":{}}`), drop: [name] };
    expect(embedContentDialect.encode(dropped).body.toString()).toBe('{"content":{}}');
    const batch = { ...verbatim('{"requests":[{"taskType":"x","model":"models/up"}]}', 1), drop: [name] };
    expect(embedContentDialect.encode(batch).body.toString()).toBe('{"requests":[{"model":"models/up"}]}');
  });
});

test.each([
  [{ embedding: { values: [1] }, usageMetadata: { promptTokenCount: 4 } }, { input: 4 }],
  [{ embeddings: [{ values: [1] }] }, null],
])('the response %j has the usage %j', (answer, usage) => {
  const decoder = embedContentDialect.decodeWhole(translated({ inputs: ['a'] }), 'application/json');
  const events = [...decoder.read(Buffer.from(JSON.stringify(answer))), ...decoder.end()];
  expect(events).toMatchObject([{ result: { vectors: [[1]] } }, { type: 'finish', usage }]);
});
