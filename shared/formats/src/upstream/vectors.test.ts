import type { EmbedRequest, Operation, RerankRequest, WireFormat } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { readAll, refusal } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { findDialect } from '../dialects.ts';
import type { EncodeInput, InputFacts } from './dialect.ts';

type Request = Partial<EmbedRequest & RerankRequest>;

const facts = (more: Partial<InputFacts> = {}) => ({
  ...{ envelope: testEnvelope({ stream: false }), model: 'up', drop: [], limits: {} },
  ...more,
});
const translated = (given: Request, more?: Partial<InputFacts>): EncodeInput => ({
  ...facts(more),
  ...{ body: 'canonical', request: given as EmbedRequest },
});
const verbatim = (text: string, inputs?: number, more?: Partial<InputFacts>): EncodeInput => ({
  ...facts({ envelope: testEnvelope(inputs === undefined ? {} : { inputs }), ...more }),
  ...{ body: 'verbatim', text: Buffer.from(text) },
});

function dialectOf(format: WireFormat, body: EncodeInput['body'] = 'canonical') {
  const operation: Operation = format.includes('rerank') ? 'rerank' : 'embed';
  const dialect = findDialect(operation, format, body);
  if (!dialect) throw new Error(`no dialect of ${format}`);
  return dialect;
}
function sent(format: WireFormat, input: EncodeInput) {
  const { path, body } = dialectOf(format, input.body).encode(input);
  return { path, text: body.toString(), body: JSON.parse(body.toString()) };
}
const decode = (format: WireFormat, input: EncodeInput, answer: unknown) =>
  readAll(dialectOf(format, input.body).decodeWhole(input, 'application/json'), JSON.stringify(answer));

describe('a translated request', () => {
  test.each(
    rows<[WireFormat, Request, object]>`
    - [embeddings, {inputs: [a], task: query, title: T, truncate: true}, {model: up, input: [a]}]
    - - embeddings
      - {inputs: [[1, 2]], dimensions: 5, encoding: base64, user: u, extensions: {embeddings: {input_type: query, model: no}, embed-content: {x: 1}}}
      - {model: up, input: [[1, 2]], dimensions: 5, encoding_format: base64, user: u, input_type: query}
    - [cohere-embed, {inputs: [a], encoding: base64, user: u, title: T}, {model: up, texts: [a], input_type: search_document, embedding_types: [float]}]
    - - cohere-embed
      - {inputs: [a], dimensions: 256, truncate: false, task: query}
      - {model: up, texts: [a], input_type: search_query, embedding_types: [float], output_dimension: 256, truncate: NONE}
    - [vertex-embed, {inputs: [a, b]}, {instances: [{content: a}, {content: b}]}]
    - - vertex-embed
      - {inputs: [a], task: document, title: T, dimensions: 256, truncate: false, user: u}
      - {instances: [{content: a, task_type: RETRIEVAL_DOCUMENT, title: T}], parameters: {outputDimensionality: 256, autoTruncate: false}}
    - [vertex-embed-content, {inputs: [a]}, {content: {role: user, parts: [{text: a}]}}]
    - - vertex-embed-content
      - {inputs: [a], task: query, dimensions: 256, truncate: true}
      - {content: {role: user, parts: [{text: a}]}, embedContentConfig: {taskType: RETRIEVAL_QUERY, outputDimensionality: 256, autoTruncate: true}}
    - - embed-content
      - {inputs: [a, b], task: question-answering, title: T, dimensions: 5, encoding: base64, extensions: {embed-content: {newest: 1}, embeddings: {x: 1}}}
      - requests:
        - {model: models/up, content: {parts: [{text: a}]}, taskType: QUESTION_ANSWERING, title: T, outputDimensionality: 5, newest: 1}
        - {model: models/up, content: {parts: [{text: b}]}, taskType: QUESTION_ANSWERING, title: T, outputDimensionality: 5, newest: 1}
    - [titan-embed, {inputs: [a], dimensions: 256, task: query}, {inputText: a, dimensions: 256}]
    - - voyage-embed
      - {inputs: [a], task: fact-verification, dimensions: 8, truncate: false, encoding: base64}
      - {model: up, input: [a], output_dimension: 8, truncation: false, input_type: query}
    - [voyage-embed, {inputs: [a], task: clustering}, {model: up, input: [a]}]
    - - jina-embed
      - {inputs: [a], task: similarity, dimensions: 8, truncate: true, encoding: base64, user: u}
      - {model: up, input: [a], task: text-matching, dimensions: 8, truncate: true, embedding_type: base64}
    - [nim-embed, {inputs: [a]}, {model: up, input: [a], input_type: passage}]
    - - nim-embed
      - {inputs: [a], task: code-query, truncate: true, encoding: float, user: u}
      - {model: up, input: [a], input_type: query, truncate: END, encoding_format: float, user: u}
    - [cohere-rerank, {query: q, documents: [a], top: 2, maxTokens: 3}, {model: up, query: q, documents: [a], top_n: 2, max_tokens_per_doc: 3}]
    - [jina-rerank, {query: q, documents: [a], top: 2, maxTokens: 3}, {model: up, query: q, documents: [a], top_n: 2, max_tokens_per_doc: 3}]
    - [voyage-rerank, {query: q, documents: [a], top: 2, maxTokens: 3}, {model: up, query: q, documents: [a], top_k: 2}]
    - [tei-rerank, {query: q, documents: [a], top: 2}, {query: q, texts: [a], raw_scores: false, truncate: true}]
  `,
  )('of %s writes %j as %j', (format, request, expected) => {
    expect(sent(format, translated(request)).body).toEqual(expected);
  });

  test.each(
    rows<[WireFormat, Request, string[], object]>`
    - [embeddings, {inputs: [a], encoding: float}, [encoding_format], {model: up, input: [a]}]
    - [vertex-embed, {inputs: [a], task: query, title: T, dimensions: 2, truncate: true}, [task_type, title, outputDimensionality, auto_truncate], {instances: [{content: a}]}]
    - [jina-rerank, {query: q, documents: [a], top: 2}, [top_n], {model: up, query: q, documents: [a]}]
  `,
  )('of %s writes %j without the fields %j', (format, request, drop, expected) => {
    expect(sent(format, translated(request, { drop })).body).toEqual(expected);
  });

  test.each([
    ['similarity', 'clustering'],
    ['classification', 'classification'],
    ['clustering', 'clustering'],
    ['code-query', 'search_query'],
  ] as const)('of cohere-embed for the task %s has the input_type %s', (task, input_type) => {
    expect(sent('cohere-embed', translated({ inputs: ['a'], task })).body).toMatchObject({ input_type });
  });

  test('of embed-content is a batch, also for one input', () => {
    const { path } = sent('embed-content', translated({ inputs: ['a'] }));
    expect(path).toBe('/v1beta/models/up:batchEmbedContents');
  });

  test('for a cloud whose URL says the model has none', () => {
    const input = translated({ inputs: ['a'] }, { differences: { inUrl: ['model'] } });
    expect(sent('cohere-embed', input).body).not.toHaveProperty('model');
  });

  test.each<[Request, string]>([
    [{}, 'a'],
    [{ task: 'query', title: 'T' }, 'task: search result | query: a'],
    [{ task: 'code-query' }, 'task: code retrieval | query: a'],
    [{ task: 'document' }, 'title: none | text: a'],
    [{ title: 'T' }, 'title: T | text: a'],
  ])('for a model that takes the task in the text alone has %j as the text %s', (settings, text) => {
    for (const model of ['gemini-embedding-2', 'gemini-embedding-2-preview']) {
      const write = (drop: string[]) =>
        sent('embed-content', translated({ inputs: ['a'], ...settings }, { model, drop })).body.requests;
      expect(write([])).toEqual([{ model: `models/${model}`, content: { parts: [{ text }] } }]);
      expect(write(['task_type', 'title'])[0].content).toEqual({ parts: [{ text: 'a' }] });
    }
  });

  test.each<[WireFormat, Request, object]>([
    ['cohere-embed', { inputs: [[1]] }, { path: 'inputs', code: 'unsupported_value' }],
    ['vertex-embed', { inputs: [[1]] }, { path: 'inputs', code: 'unsupported_value' }],
    ['embed-content', { inputs: ['a', [1]] }, { path: 'inputs[1]', code: 'unsupported_value' }],
    ['vertex-embed-content', { inputs: ['a', 'b'] }, { path: 'inputs', code: 'unsupported_value' }],
    ['titan-embed', { inputs: ['a', 'b'] }, { path: 'inputs', code: 'unsupported_value' }],
  ])('of %s is refused for %j, which allows failover', (format, request, error) => {
    expect(refusal(() => sent(format, translated(request)))).toMatchObject({
      kind: 'invalid-request',
      ...error,
    });
  });

  test.each(['../secret', 'a/../b'])('for the model %s is refused', model => {
    const refused = refusal(() => sent('embed-content', translated({ inputs: ['a'] }, { model })));
    expect(refused).toMatchObject({ param: 'model' });
  });
});

describe('a verbatim request of embed-content', () => {
  const big = '"x":12345678901234567890';

  test('for one content is sent unchanged', () => {
    const content = '"content":{"parts":[{"text":"\\u0041"}]}';
    const tuned = sent(
      'embed-content',
      verbatim(`{${content},  ${big}}`, undefined, { model: 'tunedModels/t' }),
    );
    expect([tuned.path, tuned.text]).toEqual(['/v1beta/tunedModels/t:embedContent', `{${content},${big}}`]);
  });

  test("for a batch gets the upstream's model name and keeps exact numbers", () => {
    const batch = (model: string) => `{"requests":[{"content":{},"model":"models/${model}",${big}}]}`;
    const { path, text } = sent('embed-content', verbatim(batch('m'), 1));
    expect([path, text]).toEqual(['/v1beta/models/up:batchEmbedContents', batch('up')]);
    const same = '[ {"model":"models/up","content":{"parts":[{"text":"\\u0041"}]}} ]';
    expect(sent('embed-content', verbatim(`{"requests": ${same}}`, 1)).text).toContain(same);
  });

  test.each(['task_type', 'taskType'])('loses a dropped field in either spelling: %s', name => {
    const write = (text: string, inputs?: number) =>
      sent('embed-content', verbatim(text, inputs, { drop: [name] })).body;
    expect(write('{"task_type":"x","content":{}}')).toEqual({ content: {} });
    const batch = '{"requests":[{"taskType":"x","model":"models/up"}]}';
    expect(write(batch, 1)).toEqual({ requests: [{ model: 'models/up' }] });
  });
});

describe('a response', () => {
  test.each(
    rows<[WireFormat, object, object | null]>`
    - [embeddings, {data: [{embedding: [1]}], usage: {prompt_tokens: 3}}, {input: 3, raw: {prompt_tokens: 3}}]
    - [embeddings, {data: [{embedding: [1]}], usage: {total_tokens: 4}}, {input: 4}]
    - [embeddings, {data: [{embedding: [1]}], usage: {}}, null]
    - [embeddings, {data: [{embedding: [1]}], usage: null}, null]
    - [embeddings, {data: [{embedding: [1]}], usage: {prompt_tokens: many}}, null]
    - [cohere-embed, {embeddings: {float: [[1]]}, meta: {billed_units: {input_tokens: 4}}}, {input: 4}]
    - [cohere-embed, {embeddings: {float: [[1]]}}, null]
    - [cohere-embed, {embeddings: [[1]], response_type: embeddings_floats}, null]
    - [vertex-embed, {predictions: [{embeddings: {values: [1], statistics: {token_count: 4, truncated: false}}}]}, {input: 4}]
    - [vertex-embed, {predictions: [{embeddings: {values: [1]}}]}, null]
    - [embed-content, {embedding: {values: [1]}, usageMetadata: {promptTokenCount: 4}}, {input: 4}]
    - [embed-content, {embeddings: [{values: [1]}]}, null]
    - [vertex-embed-content, {embedding: {values: [1]}, usageMetadata: {promptTokenCount: 4}}, {input: 4}]
    - [titan-embed, {embedding: [1], inputTextTokenCount: 4}, {input: 4}]
    - [titan-embed, {embedding: [1]}, null]
    - [jina-embed, {data: [{embedding: [1]}], usage: {total_tokens: 4}}, {input: 4}]
    - [embeddings, {data: [{embedding: [1]}], usage: {input_tokens: 4}}, {input: 4}]
    - [embeddings, {data: [{embedding: [1]}], meta: {tokens: {input_tokens: 4}}}, {input: 4}]
    - [embeddings, {data: [{embedding: [1]}], usage: {prompt_tokens: 0, total_tokens: 0}}, null]
    - [voyage-embed, {data: [{embedding: [1]}], usage: {}}, null]
  `,
  )('of %s has a vector, and the usage of %j is %j', (format, answer, usage) => {
    const events = decode(format, translated({ inputs: ['a'] }), answer);
    expect(events).toMatchObject([{ result: { vectors: [[1]] } }, { type: 'finish', usage }]);
  });

  test.each<[WireFormat, object]>([
    ['vertex-embed', { predictions: [] }],
    ['vertex-embed', { predictions: [{ embeddings: { values: ['x'] } }] }],
    ['vertex-embed', {}],
    ['titan-embed', { embedding: [] }],
  ])('of %s like %j is an error of the upstream', (format, answer) => {
    const events = decode(format, translated({ inputs: ['a'] }), answer);
    expect(events).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });

  const half = Buffer.from(Float32Array.of(0.5).buffer).toString('base64');
  const body = (embedding: unknown) => ({
    object: 'list',
    model: 'own',
    data: [{ object: 'embedding', index: 0, embedding }],
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
  test.each<[string, unknown, unknown?]>([
    ['{"input":"a"}', [0.5]],
    ['{"input":"a","encoding_format":null}', [0.5]],
    ['{"input":"\\"encoding_format\\":\\"base64\\""}', [0.5]],
    ['{"input":"a","encoding_format":"base64"}', half],
    ['{"input":"a"}', half, [0.5]],
    ['{"input":"a","encoding_format":"base64"}', [0.5], half],
  ])('to %s passes unchanged, or in the requested encoding', (text, embedding, wanted) => {
    const [first, end] = decode('embeddings', verbatim(text, 1), body(embedding));
    const passed = { type: 'verbatim', bytes: Buffer.from(JSON.stringify(body(embedding))) };
    const converted = { result: { type: 'embeddings', model: 'own', vectors: [wanted] } };
    expect([first, end]).toMatchObject([
      wanted ? converted : passed,
      { type: 'finish', usage: { input: 3 } },
    ]);
  });
});

describe('a response for a client of the same format', () => {
  const item = { object: 'embedding', index: 0, embedding: [0.5] };
  const answer = {
    object: 'list',
    model: 'own',
    data: [item],
    usage: { prompt_tokens: 3, total_tokens: 3 },
    more: 1,
  };
  const first = (body: object, text = '{"input":"a"}', inputs = 1) =>
    decode('embeddings', verbatim(text, inputs), body)[0];

  test('passes with fields that clients do not know', () => {
    expect(first(answer)).toMatchObject({ type: 'verbatim', bytes: Buffer.from(JSON.stringify(answer)) });
  });

  test.each([
    { ...answer, object: undefined },
    { ...answer, model: null },
    { ...answer, usage: undefined },
    { ...answer, usage: { total_tokens: 3 } },
    { ...answer, data: [{ ...item, index: undefined }] },
    { ...answer, data: [{ ...item, index: 1 }] },
    { ...answer, data: [{ ...item, object: undefined }] },
  ])('is completed, if it is %j', body => {
    expect(first(body)).toMatchObject({ type: 'result', result: { vectors: [[0.5]] } });
  });

  test.each<[unknown[], number[] | 'error']>([
    [
      [1, 2, 3],
      [0, 1, 2],
    ],
    [
      [-1, 0, 1],
      [0, 1, 2],
    ],
    [
      [3, 1, 2],
      [1, 2, 0],
    ],
    [
      [0, 0, 0],
      [0, 1, 2],
    ],
    [
      [0, 1, 0],
      [0, 1, 2],
    ],
    [
      ['0', '1', '2'],
      [0, 1, 2],
    ],
    [
      [undefined, undefined, null],
      [0, 1, 2],
    ],
    [[0, 1, 1], 'error'],
    [[0, 1, 3], 'error'],
    [[2, 1, 2], 'error'],
    [[0, 0.5, 1], 'error'],
    [['a', 'b', 'c'], 'error'],
  ])('with the indexes %j has the vectors %j', (indexes, order) => {
    const data = indexes.map((index, at) => ({ ...item, index, embedding: [at] }));
    const expected =
      order === 'error'
        ? { type: 'error', kind: 'upstream' }
        : { type: 'result', result: { vectors: order.map(at => [at]) } };
    expect(first({ ...answer, data }, '{"input":["a","b","c"]}', 3)).toMatchObject(expected);
  });

  const bytes = Buffer.from([1, 2, 3, 4, 5, 250]).toString('base64');
  test.each([
    ['{"input":"a","encoding_format":"base64","output_dtype":"int8"}', bytes],
    ['{"input":"a","output_dtype":"uint8"}', [1, 250]],
    ['{"input":"a","embedding_type":"ubinary"}', [255]],
    ['{"input":"a","embedding_types":["binary"]}', bytes],
    ['{"input":"a","encoding_format":"int8"}', [-128]],
    ['{"input":"a","embed_dtype":"float16","encoding_format":"base64"}', 'AAA='],
  ])('to %s passes %j as it is', (text, embedding) => {
    const body = { ...answer, data: [{ ...item, embedding }] };
    expect(first(body, text)).toMatchObject({ type: 'verbatim' });
    const unordered = { ...body, data: [{ ...item, embedding, index: 7 }] };
    expect(first(unordered, text)).toMatchObject({ type: 'result', result: { vectors: [embedding] } });
    expect(first({ ...body, data: [{ ...item, embedding: '' }] }, text)).toMatchObject({ type: 'error' });
  });

  test('to a request of floats is no base64 of other numbers', () => {
    const body = { ...answer, data: [{ ...item, embedding: bytes }] };
    expect(first(body, '{"input":"a","encoding_format":"base64"}')).toMatchObject({ type: 'error' });
  });
});

describe('a type of numbers', () => {
  test.each(
    rows<[WireFormat, Request, object]>`
    - [voyage-embed, {inputs: [a], numbers: int8, encoding: base64}, {model: up, input: [a], output_dtype: int8, encoding_format: base64}]
    - [voyage-embed, {inputs: [a], numbers: ubinary}, {model: up, input: [a], output_dtype: ubinary}]
    - [jina-embed, {inputs: [a], numbers: binary}, {model: up, input: [a], embedding_type: binary}]
    - [cohere-embed, {inputs: [a], numbers: uint8}, {model: up, texts: [a], input_type: search_document, embedding_types: [uint8]}]
    - - embeddings
      - {inputs: [a], numbers: int8, encoding: base64, extensions: {embeddings: {output_dtype: int8, encoding_format: base64}}}
      - {model: up, input: [a], output_dtype: int8, encoding_format: base64}
  `,
  )('of %s is asked for: %j', (format, request, expected) => {
    expect(sent(format, translated(request)).body).toEqual(expected);
  });

  test.each([
    ['voyage-embed', 'float16'],
    ['jina-embed', 'int8'],
    ['cohere-embed', 'float16'],
    ['nim-embed', 'int8'],
    ['titan-embed', 'binary'],
    ['embed-content', 'int8'],
    ['vertex-embed', 'int8'],
    ['vertex-embed-content', 'int8'],
  ] as const)('of %s is refused if it has not %s', (format, numbers) => {
    const refused = refusal(() => sent(format, translated({ inputs: ['a'], numbers })));
    expect(refused).toMatchObject({ kind: 'invalid-request', path: 'numbers', code: 'unsupported_value' });
  });

  const ints = [1, -128];
  const base64 = Buffer.from(Int8Array.from(ints)).toString('base64');
  test.each<[WireFormat, object, unknown]>([
    ['voyage-embed', { data: [{ embedding: base64, index: 0 }] }, base64],
    ['voyage-embed', { data: [{ embedding: ints, index: 0 }] }, ints],
    ['cohere-embed', { embeddings: { int8: [ints] } }, ints],
  ])('of %s comes as it is: %j', (format, answer, vector) => {
    const input = translated({ inputs: ['a'], numbers: 'int8', encoding: 'base64' });
    expect(decode(format, input, answer)[0]).toMatchObject({ result: { vectors: [vector] } });
  });

  test('of cohere-embed is no other one', () => {
    const input = translated({ inputs: ['a'], numbers: 'int8' });
    expect(decode('cohere-embed', input, { embeddings: { uint8: [[1]] } })).toMatchObject([
      { type: 'error' },
    ]);
  });
});

describe('an input that is an object', () => {
  const image = { image: 'https://example.com/a.png' };

  test('is sent as it is to those who take it', () => {
    const inputs = [{ text: 'a' }, image, 'b'];
    for (const format of ['embeddings', 'jina-embed'] as const)
      expect(sent(format, translated({ inputs })).body.input).toEqual(inputs);
  });

  test.each(['voyage-embed', 'cohere-embed', 'embed-content', 'vertex-embed'] as const)(
    'is a text for %s, or refused',
    format => {
      const write = (inputs: EmbedRequest['inputs']) =>
        JSON.stringify(sent(format, translated({ inputs })).body);
      expect(write([{ text: 'abc' }])).toBe(write(['abc']));
      expect(write([{ type: 'text', text: 'abc' }])).toBe(write(['abc']));
      for (const input of [image, { text: 'a', ...image }, {}, { text: '' }])
        expect(refusal(() => write(['a', input]))).toMatchObject({
          path: 'inputs[1]',
          code: 'unsupported_value',
        });
    },
  );
});

describe('a ranking', () => {
  const input = translated({ query: 'q', documents: ['a', 'b', 'c'] });

  test.each(
    rows<[WireFormat, object, object | null]>`
    - [jina-rerank, {usage: {total_tokens: 9}, meta: {billed_units: {search_units: 2}}}, {input: 9}]
    - [jina-rerank, {usage: {prompt_tokens: 8}}, {input: 8}]
    - [jina-rerank, {usage: {total_tokens: 0}, meta: {billed_units: {search_units: 2}}}, {input: 0, units: {searches: 2}}]
    - [jina-rerank, {usage: null}, null]
    - [cohere-rerank, {meta: {billed_units: {search_units: 2}, tokens: {input_tokens: 7}}}, {input: 7, units: {searches: 2}}]
    - [cohere-rerank, {meta: {billed_units: {search_units: 2}}}, {input: 0, units: {searches: 2}, raw: {billed_units: {search_units: 2}}}]
    - [cohere-rerank, {meta: {billed_units: {total_tokens: 6}}}, {input: 6}]
    - [cohere-rerank, {meta: {}}, null]
    - [cohere-rerank, {}, null]
  `,
  )('of %s with %j has the usage %j', (format, fields, usage) => {
    const results = [{ index: 0, relevance_score: 0.5 }];
    expect(decode(format, input, { results, ...fields })[1]).toMatchObject({ type: 'finish', usage });
  });

  test.each<[WireFormat, unknown]>([
    ['jina-rerank', { results: [] }],
    ['jina-rerank', { results: null, meta: null }],
    ['cohere-rerank', { results: [] }],
    ['voyage-rerank', { data: [] }],
    ['tei-rerank', []],
    ['jina-rerank', []],
  ])('of %s may be empty: %j', (format, body) => {
    expect(decode(format, input, body)[0]).toMatchObject({ result: { type: 'ranking', ranked: [] } });
  });

  test.each<[WireFormat, unknown]>([
    ['jina-rerank', {}],
    ['jina-rerank', null],
    ['jina-rerank', { results: null, error: { message: 'no' } }],
    ['cohere-rerank', { results: {} }],
    ['tei-rerank', null],
    ['tei-rerank', {}],
    ['jina-rerank', { results: [{ index: 0, relevance_score: 'high' }] }],
    ['jina-rerank', { results: [{ index: 0, relevance_score: '' }] }],
    ['jina-rerank', { results: [{ index: '3', score: 1 }] }],
  ])('of %s is not %j', (format, body) => {
    expect(decode(format, input, body)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });

  test.each(
    rows<[WireFormat, unknown]>`
    - [jina-rerank, {results: [{index: '2', relevance_score: '0.1'}, {index: 1, relevance_score: '7e-1'}]}]
    - [cohere-rerank, {results: [{index: 2, score: null, relevance_score: 0.1}, {index: 1, relevance_score: 0.7}]}]
    - [tei-rerank, [{index: 2, score: 0.1}, {index: 1, score: 0.7, text: b}]]
    - [jina-rerank, [{index: 2, score: 0.1, document: c}, {index: 1, score: 0.7}]]
    - [voyage-rerank, {data: [{index: 1, relevance_score: 0.7}, {index: 2, relevance_score: 0.1}]}]
    - [cohere-rerank, {results: [{index: 2, relevance_score: 0.1}, {index: 1, relevance_score: 0.7}]}]
  `,
  )('of %s sorts %j by score', (format, body) => {
    const ranked = [
      { index: 1, score: 0.7 },
      { index: 2, score: 0.1 },
    ];
    expect(decode(format, input, body)[0]).toMatchObject({ result: { type: 'ranking', ranked } });
  });
});
