import type { GenerateEvent, RerankRequest, WireFormat } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { CanonicalInput } from '../dialect.ts';
import { findDialect } from '../index.ts';

const envelope = { requestId: 'req_1', format: 'rerank' } as CanonicalInput['envelope'];
const request: RerankRequest = { query: 'q', documents: ['a', 'b', 'c'] };
const input: CanonicalInput<RerankRequest> = {
  envelope,
  body: 'canonical',
  request,
  model: 'up',
  drop: [],
  limits: {},
};
const results = [{ index: 0, relevance_score: 0.5 }];

function decode(format: WireFormat, body: unknown): GenerateEvent[] {
  const decoder = findDialect('rerank', format, 'canonical')?.decodeWhole(input, 'application/json');
  return decoder ? [...decoder.read(Buffer.from(JSON.stringify(body))), ...decoder.end()] : [];
}
const usageOf = (format: WireFormat, body: unknown) => (decode(format, body)[1] as { usage: unknown }).usage;

describe('usage is the first count that the upstream reports', () => {
  const meta = { billed_units: { search_units: 2 } };
  test.each<[WireFormat, object, object | null]>([
    ['jina-rerank', { usage: { total_tokens: 9 }, meta }, { input: 9 }],
    ['jina-rerank', { usage: { prompt_tokens: 8 } }, { input: 8 }],
    ['jina-rerank', { usage: { total_tokens: 0 }, meta }, { input: 0, units: { searches: 2 } }],
    ['jina-rerank', { usage: null }, null],
    [
      'cohere-rerank',
      { meta: { ...meta, tokens: { input_tokens: 7 } } },
      { input: 7, units: { searches: 2 } },
    ],
    ['cohere-rerank', { meta }, { input: 0, units: { searches: 2 }, raw: meta }],
    ['cohere-rerank', { meta: { billed_units: { total_tokens: 6 } } }, { input: 6 }],
    ['cohere-rerank', { meta: {} }, null],
    ['cohere-rerank', {}, null],
  ])('%s with %j has the usage %j', (format, fields, usage) => {
    const read = usageOf(format, { results, ...fields });
    if (usage) expect(read).toMatchObject(usage);
    else expect(read).toBeNull();
  });
});

test.each<[WireFormat, unknown]>([
  [
    'tei-rerank',
    [
      { index: 2, score: 0.1 },
      { index: 1, score: 0.7, text: 'b' },
    ],
  ],
  [
    'jina-rerank',
    [
      { index: 2, score: 0.1, document: 'c' },
      { index: 1, score: 0.7 },
    ],
  ],
  [
    'jina-rerank',
    {
      data: [
        { index: 1, relevance_score: 0.7 },
        { index: 2, relevance_score: 0.1 },
      ],
    },
  ],
  [
    'cohere-rerank',
    {
      results: [
        { index: 2, relevance_score: 0.1 },
        { index: 1, relevance_score: 0.7 },
      ],
    },
  ],
])('%s sorts %j by score', (format, body) => {
  expect(decode(format, body)[0]).toMatchObject({
    type: 'result',
    result: {
      type: 'ranking',
      ranked: [
        { index: 1, score: 0.7 },
        { index: 2, score: 0.1 },
      ],
    },
  });
});

test('a dropped field is not sent', () => {
  const dropped = { ...input, drop: ['top_n'], request: { ...request, top: 2 } };
  const { body } = findDialect('rerank', 'jina-rerank', 'canonical')?.encode(dropped) ?? {};
  expect(JSON.parse(String(body))).toEqual({ model: 'up', query: 'q', documents: ['a', 'b', 'c'] });
});
