import { passed, readAll, refusal } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { moderationsDialect, parse } from './moderations.ts';
import { encodeInput } from './testing/encode-input.ts';
import type { VerbatimInput } from './upstream/dialect.ts';

const inputOf = (body: object) =>
  encodeInput({ model: 'up', text: Buffer.from(JSON.stringify(body)) }) as VerbatimInput;
const decode = (body: object, answer: unknown) =>
  readAll(moderationsDialect.decodeWhole(inputOf(body), 'application/json'), JSON.stringify(answer));

const result = { flagged: true, categories: { hate: true }, category_scores: { hate: 0.9 }, more: 1 };
const one = { input: 'a' };

test("the client's text is sent with the upstream's model", () => {
  const { path, body } = moderationsDialect.encode(inputOf({ input: ['a'], model: 'm' }));
  expect([path, body.toString()]).toEqual(['/moderations', '{"input":["a"],"model":"up"}']);
  expect(moderationsDialect.encode(inputOf(one)).body.toString()).toBe('{"input":"a","model":"up"}');
});

test('a complete answer is passed on', () => {
  const answer = { id: 'modr-1', model: 'omni', results: [result] };
  expect(decode(one, answer)).toEqual([
    expect.objectContaining({ type: 'verbatim', bytes: Buffer.from(JSON.stringify(answer)) }),
    { type: 'finish', reason: 'stop', raw: null, usage: null },
  ]);
});

test.each([
  [{ hate: true, violence: false }, true],
  [{ hate: false }, false],
])('a result without flagged and with the categories %j is flagged: %s', (categories, flagged) => {
  const scores = { hate: 0.5 };
  const usage = { prompt_tokens: 4, total_tokens: 4 };
  const answer = { id: 'x', model: 'm', results: [{ categories, category_scores: scores }], usage };
  expect(decode(one, answer)).toEqual([
    {
      type: 'result',
      result: { type: 'moderation', id: 'x', model: 'm', results: [{ flagged, categories, scores }] },
    },
    expect.objectContaining({ type: 'finish', usage: expect.objectContaining({ input: 4 }) }),
  ]);
});

test('categories that the model does not know are null', () => {
  const unknown = { flagged: true, categories: { a: null, b: true }, category_scores: { a: null, b: 0.9 } };
  const answer = { id: 'x', model: 'm', results: [unknown] };
  expect(decode(one, answer)).toMatchObject([{ type: 'verbatim' }, { type: 'finish' }]);
  const { flagged: _, ...unsaid } = unknown;
  expect(decode(one, { ...answer, results: [unsaid] })).toMatchObject([
    { result: { results: [{ flagged: true, categories: unknown.categories }] } },
    { type: 'finish' },
  ]);
});

test.each<[object, object]>([
  [{ flagged: true }, { flagged: true, categories: {}, scores: {} }],
  [
    { flagged: false, categories: null, category_scores: null },
    { flagged: false, categories: {}, scores: {} },
  ],
  [{ categories: { a: null } }, { flagged: false, categories: { a: null }, scores: {} }],
])('the result %j is completed', (given, result) => {
  expect(decode(one, { id: 'x', model: 'm', results: [given] })).toMatchObject([
    { result: { results: [result] } },
    { type: 'finish' },
  ]);
});

test.each([{}, { id: null, model: null }, { id: 5 }])('an answer without names is completed: %j', names => {
  const events = decode(one, { ...names, results: [result] });
  expect(JSON.parse(passed(events))).toEqual({
    id: 'modr-1',
    model: expect.any(String),
    results: [result],
  });
});

test.each<[object, unknown]>([
  [one, { results: [{}] }],
  [one, { results: [{ flagged: null, categories: null }] }],
  [one, { results: [] }],
  [one, { results: null }],
  [{ input: ['a', 'b'] }, { results: [result] }],
  [{ input: [{ type: 'text', text: 'a' }] }, { results: [result, result] }],
  [one, { results: [{ ...result, categories: { hate: 'yes' } }] }],
  [one, {}],
  [one, []],
])('for %j, the body %j is an error', (body, answer) => {
  expect(decode(body, answer)).toEqual([expect.objectContaining({ type: 'error', kind: 'upstream' })]);
});

const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

test.each([['a text'], [''], [['one', 'two']], [[{ type: 'text', text: 'a' }, image]]])(
  'the input %j is taken',
  input => {
    expect(parse({ model: 'm', input })).toMatchObject({ type: 'moderate', model: 'm', stream: false });
  },
);

test('a request without a model asks for the default of the format', () => {
  expect(parse({ input: 'a' }).model).toBe('omni-moderation-latest');
  expect(parse({ input: 'a', model: null }).model).toBe('omni-moderation-latest');
});

test.each([
  [{}, 'input'],
  [{ input: 5 }, 'input'],
  [{ input: [] }, 'input'],
  [{ input: ['a', 5] }, 'input[1]'],
  [{ input: [{ type: 'video' }] }, 'input[0].type'],
  [{ input: [{ type: 'text', text: 5 }] }, 'input[0].text'],
  [{ input: [{ type: 'image_url' }] }, 'input[0].image_url'],
  [{ input: [{ type: 'image_url', image_url: 'https://example.com/a.png' }] }, 'input[0].image_url'],
  [{ input: [image, { type: 'image_url', image_url: { url: '' } }] }, 'input[1].image_url.url'],
  [{ input: [image, 'a text'] }, 'input[1]'],
  [{ input: ['a text', image] }, 'input[1]'],
  [{ input: [null] }, 'input[0]'],
  [{ input: 'a', model: 5 }, 'model'],
])('%j is refused by the field %s', (body, param) => {
  expect(refusal(() => parse(body))).toMatchObject({ param });
});
