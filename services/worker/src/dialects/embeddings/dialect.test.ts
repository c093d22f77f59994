import type { EmbedRequest, GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { EncodeInput } from '../dialect.ts';
import { embeddingsDialect } from './dialect.ts';

const envelope = { requestId: 'req_1', format: 'embeddings' } as EncodeInput['envelope'];
const common = { envelope, model: 'up', drop: [], limits: {} };
const own = (text: string, inputs: number) => ({
  ...common,
  envelope: { ...envelope, inputs },
  text: Buffer.from(text),
});
const asked = (request: EmbedRequest) => ({ ...common, request });

function decode(input: EncodeInput<EmbedRequest>, body: unknown): GenerateEvent[] {
  const decoder = embeddingsDialect.decodeWhole(input, 'application/json');
  return [...decoder.read(Buffer.from(JSON.stringify(body))), ...decoder.end()];
}
const body = (...embeddings: unknown[]) => ({
  model: 'said',
  data: embeddings.map((embedding, index) => ({ index, embedding })),
  usage: { prompt_tokens: 3, total_tokens: 3 },
});

describe('what is written', () => {
  const write = (request: EmbedRequest, drop: string[] = []) =>
    JSON.parse(embeddingsDialect.encode({ ...asked(request), drop }).body.toString());

  test('is what was asked for, and no more', () => {
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

  test('has the fields that its own clients gave, and none that is dropped', () => {
    const extensions = { embeddings: { input_type: 'query', model: 'no' }, 'embed-content': { x: 1 } };
    const request = { inputs: ['a'], encoding: 'float' as const, extensions };
    expect(write(request, ['encoding_format'])).toEqual({ model: 'up', input: ['a'], input_type: 'query' });
  });
});

describe("an answer to the client's own text", () => {
  const first = Buffer.from(Float32Array.of(0.5).buffer).toString('base64');

  test.each([
    ['{"input":"a"}', body([0.5])],
    ['{"input":"a","encoding_format":null}', body([0.5])],
    ['{"input":"\\"encoding_format\\":\\"base64\\""}', body([0.5])],
    ['{"input":"a","encoding_format":"base64"}', body(first)],
  ])('%s goes on as it came', (text, given) => {
    const events = decode(own(text, 1), given);
    expect(events[0]).toMatchObject({ type: 'verbatim', bytes: Buffer.from(JSON.stringify(given)) });
    expect(events[1]).toMatchObject({ type: 'finish', usage: { input: 3 } });
  });

  test.each([
    ['{"input":"a"}', body(first), [[0.5]]],
    ['{"input":"a","encoding_format":"base64"}', body([0.5]), [first]],
  ])('%s is written anew where it is written otherwise', (text, given, vectors) => {
    const [result] = decode(own(text, 1), given);
    expect(result).toEqual({ type: 'result', result: { type: 'embeddings', model: 'said', vectors } });
  });

  test('has as many vectors as it asks for', () => {
    expect(decode(own('{}', 2), body([1]))).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });
});

test.each([
  [{ prompt_tokens: 3 }, { input: 3, raw: { prompt_tokens: 3 } }],
  [{ total_tokens: 4 }, { input: 4 }],
  [{}, null],
  [null, null],
  [{ prompt_tokens: 'many' }, null],
])('the usage %j is read as %j', (usage, expected) => {
  const [, finish] = decode(asked({ inputs: ['a'] }), { ...body([1]), usage });
  expect(finish).toMatchObject({ type: 'finish', usage: expected });
});
