import type { EmbedRequest } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import type { CanonicalInput } from '../dialect.ts';
import { vertexEmbedDialect } from './dialect.ts';

const envelope = { requestId: 'req_1', format: 'embeddings' } as CanonicalInput['envelope'];
const inputOf = (request: EmbedRequest, drop: string[] = []): CanonicalInput<EmbedRequest> => ({
  ...{ envelope, body: 'canonical', request, model: 'text-embedding-005', drop, limits: {} },
});
const written = (request: EmbedRequest, drop?: string[]) =>
  JSON.parse(vertexEmbedDialect.encode(inputOf(request, drop)).body.toString());

test('a request has an instance for each input, and only the settings of the client', () => {
  expect(written({ inputs: ['a', 'b'] })).toEqual({ instances: [{ content: 'a' }, { content: 'b' }] });
  const request: EmbedRequest = {
    ...{ inputs: ['a'], task: 'document', title: 'T', dimensions: 256, truncate: false, user: 'u' },
  };
  expect(written(request)).toEqual({
    instances: [{ content: 'a', task_type: 'RETRIEVAL_DOCUMENT', title: 'T' }],
    parameters: { outputDimensionality: 256, autoTruncate: false },
  });
  expect(written(request, ['task_type', 'title', 'outputDimensionality', 'auto_truncate'])).toEqual({
    instances: [{ content: 'a' }],
  });
});

test('token inputs are refused', () => {
  expect(() => written({ inputs: [[1]] })).toThrow(
    expect.objectContaining({ details: { path: 'inputs', code: 'unsupported_value' } }),
  );
});

test.each([
  [{ values: [1], statistics: { token_count: 4, truncated: false } }, { input: 4 }],
  [{ values: [1] }, null],
])('the vector %j has the usage %j', (embeddings, usage) => {
  const decoder = vertexEmbedDialect.decodeWhole(inputOf({ inputs: ['a'] }), 'application/json');
  const body = Buffer.from(JSON.stringify({ predictions: [{ embeddings }] }));
  const events = [...decoder.read(body), ...decoder.end()];
  expect(events).toMatchObject([{ result: { vectors: [[1]] } }, { type: 'finish', usage }]);
});

test.each([{ predictions: [] }, { predictions: [{ embeddings: { values: ['x'] } }] }, {}])(
  'the response %j is an error of the upstream',
  body => {
    const decoder = vertexEmbedDialect.decodeWhole(inputOf({ inputs: ['a'] }), 'application/json');
    const events = [...decoder.read(Buffer.from(JSON.stringify(body))), ...decoder.end()];
    expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  },
);
