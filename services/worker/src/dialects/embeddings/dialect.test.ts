import type { EmbedRequest, GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { CanonicalInput, VerbatimInput } from '../dialect.ts';
import { embeddingsDialect } from './dialect.ts';

const envelope = { requestId: 'req_1', format: 'embeddings' } as VerbatimInput['envelope'];
const common = { envelope, model: 'up', drop: [], limits: {} };
const verbatim = (text: string, inputs: number): VerbatimInput => ({
  ...common,
  envelope: { ...envelope, inputs },
  body: 'verbatim',
  text: Buffer.from(text),
});
const translated = (request: EmbedRequest): CanonicalInput<EmbedRequest> => ({
  ...common,
  body: 'canonical',
  request,
});

function decode(input: VerbatimInput | CanonicalInput<EmbedRequest>, body: unknown): GenerateEvent[] {
  const decoder = embeddingsDialect.decodeWhole(input, 'application/json');
  return [...decoder.read(Buffer.from(JSON.stringify(body))), ...decoder.end()];
}
const body = (...embeddings: unknown[]) => ({
  model: 'reported',
  data: embeddings.map((embedding, index) => ({ index, embedding })),
  usage: { prompt_tokens: 3, total_tokens: 3 },
});

describe('a translated request', () => {
  const write = (request: EmbedRequest, drop: string[] = []) =>
    JSON.parse(embeddingsDialect.encode({ ...translated(request), drop }).body.toString());

  test('a translated request has only the requested fields', () => {
    expect(write({ inputs: ['a'] })).toEqual({ model: 'up', input: ['a'] });
    expect(write({ inputs: [[1, 2]], dimensions: 5, encoding: 'base64', user: 'u' })).toEqual({
      model: 'up',
      input: [[1, 2]],
      dimensions: 5,
      encoding_format: 'base64',
      user: 'u',
    });
    expect(write({ inputs: ['a'], task: 'query', title: 'T', truncate: true })).toEqual({
      model: 'up',
      input: ['a'],
    });
  });

  test('a translated request has extensions of this format and no dropped field', () => {
    const extensions = { embeddings: { input_type: 'query', model: 'no' }, 'embed-content': { x: 1 } };
    const request = { inputs: ['a'], encoding: 'float' as const, extensions };
    expect(write(request, ['encoding_format'])).toEqual({ model: 'up', input: ['a'], input_type: 'query' });
  });
});

describe('a response to a verbatim request', () => {
  const first = Buffer.from(Float32Array.of(0.5).buffer).toString('base64');

  test.each([
    ['{"input":"a"}', body([0.5])],
    ['{"input":"a","encoding_format":null}', body([0.5])],
    ['{"input":"\\"encoding_format\\":\\"base64\\""}', body([0.5])],
    ['{"input":"a","encoding_format":"base64"}', body(first)],
  ])('a response to %s passes unchanged', (text, sent) => {
    const events = decode(verbatim(text, 1), sent);
    expect(events[0]).toMatchObject({ type: 'verbatim', bytes: Buffer.from(JSON.stringify(sent)) });
    expect(events[1]).toMatchObject({ type: 'finish', usage: { input: 3 } });
  });

  test.each([
    ['{"input":"a"}', body(first), [[0.5]]],
    ['{"input":"a","encoding_format":"base64"}', body([0.5]), [first]],
  ])('a response to %s is converted to the requested encoding', (text, sent, vectors) => {
    const [result] = decode(verbatim(text, 1), sent);
    expect(result).toEqual({ type: 'result', result: { type: 'embeddings', model: 'reported', vectors } });
  });

  test('a response with too few vectors is an error', () => {
    expect(decode(verbatim('{}', 2), body([1]))).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });
});

test.each([
  [{ prompt_tokens: 3 }, { input: 3, raw: { prompt_tokens: 3 } }],
  [{ total_tokens: 4 }, { input: 4 }],
  [{}, null],
  [null, null],
  [{ prompt_tokens: 'many' }, null],
])('the usage %j is read as %j', (usage, expected) => {
  const [, finish] = decode(translated({ inputs: ['a'] }), { ...body([1]), usage });
  expect(finish).toMatchObject({ type: 'finish', usage: expected });
});
