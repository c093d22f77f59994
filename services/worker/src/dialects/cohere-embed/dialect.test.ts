import type { EmbedRequest, EmbedTask } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import type { CanonicalInput } from '../dialect.ts';
import { cohereEmbedDialect } from './dialect.ts';

const envelope = { requestId: 'req_1', format: 'embeddings' } as CanonicalInput['envelope'];
const inputOf = (request: EmbedRequest): CanonicalInput<EmbedRequest> => ({
  envelope,
  body: 'canonical',
  request,
  model: 'up',
  drop: [],
  limits: {},
});
const written = (request: EmbedRequest) =>
  JSON.parse(cohereEmbedDialect.encode(inputOf(request)).body.toString());

test('a request has the required fields and the requested settings', () => {
  const least = { model: 'up', texts: ['a'], input_type: 'search_document', embedding_types: ['float'] };
  expect(written({ inputs: ['a'] })).toEqual(least);
  expect(written({ inputs: ['a'], encoding: 'base64', user: 'u', title: 'T' })).toEqual(least);
  const more = { output_dimension: 256, truncate: 'NONE' };
  expect(written({ inputs: ['a'], dimensions: 256, truncate: false })).toEqual({ ...least, ...more });
});

test('a cloud whose URL says the model gets none in the body', () => {
  const input = { ...inputOf({ inputs: ['a'] }), differences: { inUrl: ['model'] } };
  const { body } = cohereEmbedDialect.encode(input);
  expect(JSON.parse(body.toString())).toEqual({
    texts: ['a'],
    input_type: 'search_document',
    embedding_types: ['float'],
  });
});

test.each<[EmbedTask, string]>([
  ['query', 'search_query'],
  ['document', 'search_document'],
  ['similarity', 'clustering'],
  ['classification', 'classification'],
  ['clustering', 'clustering'],
  ['code-query', 'search_query'],
])('task %s is sent as input_type %s', (task, type) => {
  expect(written({ inputs: ['a'], task })).toMatchObject({ input_type: type });
});

test('token inputs are refused as unsupported_value, which allows failover', () => {
  expect(() => written({ inputs: [[1]] })).toThrow(
    expect.objectContaining({
      kind: 'invalid-request',
      details: { path: 'inputs', code: 'unsupported_value' },
    }),
  );
});

test.each([
  [{ embeddings: { float: [[1]] }, meta: { billed_units: { input_tokens: 4 } } }, { input: 4 }],
  [{ embeddings: { float: [[1]] } }, null],
  [{ embeddings: [[1]], response_type: 'embeddings_floats' }, null],
])('the response %j has the usage %j', (answer, usage) => {
  const decoder = cohereEmbedDialect.decodeWhole(inputOf({ inputs: ['a'] }), 'application/json');
  const events = [...decoder.read(Buffer.from(JSON.stringify(answer))), ...decoder.end()];
  expect(events).toMatchObject([{ result: { vectors: [[1]] } }, { type: 'finish', usage }]);
});
