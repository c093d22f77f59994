import type { EmbedRequest } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { EncodeInput } from '../dialect.ts';
import { embedContentDialect } from './dialect.ts';

const envelope = { requestId: 'req_1', format: 'embed-content' } as EncodeInput['envelope'];
const common = { envelope, model: 'up', drop: [] as string[], limits: {} };
const own = (text: string, inputs?: number) => ({
  ...common,
  envelope: { ...envelope, ...(inputs !== undefined && { inputs }) },
  text: Buffer.from(text),
});
const content = (text: string) => ({ parts: [{ text }] });

describe('what is written', () => {
  test('is a batch, whose requests all say the same of what they are for', () => {
    const request: EmbedRequest = {
      inputs: ['a', 'b'],
      task: 'question-answering',
      title: 'T',
      dimensions: 5,
      encoding: 'base64',
      extensions: { 'embed-content': { newest: 1 }, embeddings: { x: 1 } },
    };
    const { path, body } = embedContentDialect.encode({ ...common, request });
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

  test('is nothing for tokens', () => {
    expect(() => embedContentDialect.encode({ ...common, request: { inputs: ['a', [1]] } })).toThrow(
      expect.objectContaining({
        kind: 'invalid-request',
        details: { param: 'input[1]', code: 'unsupported_value' },
      }),
    );
  });

  test.each(['../secret', 'a/../b'])('goes to no other place than a model: %s', model => {
    expect(() => embedContentDialect.encode({ ...common, model, request: { inputs: ['a'] } })).toThrow(
      expect.objectContaining({ details: { param: 'model' } }),
    );
  });
});

describe("the client's own text", () => {
  test('of one content goes on as it came', () => {
    const text = '{"content":{"parts":[{"text":"\\u0041"}]},  "x":12345678901234567890}';
    const { path, body } = embedContentDialect.encode({ ...own(text), model: 'tunedModels/t' });
    expect(path).toBe('/v1beta/tunedModels/t:embedContent');
    expect(body.toString()).toBe('{"content":{"parts":[{"text":"\\u0041"}]},"x":12345678901234567890}');
  });

  test('of a batch goes on as it came where its model has the name that it has upstream', () => {
    const requests = '[ {"model":"models/up","content":{"parts":[{"text":"\\u0041"}]}} ]';
    const { path, body } = embedContentDialect.encode(own(`{"requests": ${requests}}`, 1));
    expect(path).toBe('/v1beta/models/up:batchEmbedContents');
    expect(body.toString()).toContain(requests);
  });

  test('of a batch names its model anew, and keeps its numbers', () => {
    const text = '{"requests":[{"content":{},"model":"models/m","x":12345678901234567890}]}';
    const { body } = embedContentDialect.encode(own(text, 1));
    expect(body.toString()).toBe(
      '{"requests":[{"content":{},"model":"models/up","x":12345678901234567890}]}',
    );
  });

  test.each(['task_type', 'taskType'])('has no field that is dropped, in either spelling: %s', name => {
    const dropped = { ...own(`{"task_type":"x","content":{}}`), drop: [name] };
    expect(embedContentDialect.encode(dropped).body.toString()).toBe('{"content":{}}');
    const batch = { ...own('{"requests":[{"taskType":"x","model":"models/up"}]}', 1), drop: [name] };
    expect(embedContentDialect.encode(batch).body.toString()).toBe('{"requests":[{"model":"models/up"}]}');
  });
});

test.each([
  [{ embedding: { values: [1] }, usageMetadata: { promptTokenCount: 4 } }, { input: 4 }],
  [{ embeddings: [{ values: [1] }] }, null],
])('%j is read with the usage %j', (answer, usage) => {
  const decoder = embedContentDialect.decodeWhole(
    { ...common, request: { inputs: ['a'] } },
    'application/json',
  );
  const events = [...decoder.read(Buffer.from(JSON.stringify(answer))), ...decoder.end()];
  expect(events).toMatchObject([{ result: { vectors: [[1]] } }, { type: 'finish', usage }]);
});
