import { refusal } from '@model-gateway/canonical/testing/events';
import { user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { parse } from './parse.ts';

const valid = { model: 'm', prompt: 'Once' };

test.each(
  rows<[string, string, object]>`
  - [prompt, invalid_type, {prompt: 5}]
  - [max_tokens, invalid_type, {max_tokens: many}]
  - [temperature, decimal_below_min_value, {temperature: -0.1}]
  - [logprobs, integer_below_min_value, {logprobs: -1}]
  - [logprobs, invalid_type, {logprobs: true}]
  - [n, integer_below_min_value, {n: 0}]
  - [echo, invalid_type, {echo: 'yes'}]
  - [best_of, invalid_value, {n: 3, best_of: 2}]
  - [best_of, invalid_value, {stream: true, best_of: 2}]
`,
)('%s is invalid: %s, in %j', (param, code, fields) => {
  expect(refusal(() => parse({ ...valid, ...fields }))).toMatchObject({
    kind: 'invalid-request',
    param,
    code,
  });
});

test.each([
  { logprobs: 20 },
  { best_of: 100 },
  { top_p: 1.5 },
  { presence_penalty: 3, frequency_penalty: -3 },
])('the upstream decides on the values %j', fields => expect(parse({ ...valid, ...fields }).model).toBe('m'));

test.each([
  ['model', { prompt: 'x' }],
  ['prompt', { model: 'm' }],
])('%s is required', (param, body) => {
  expect(refusal(() => parse(body))).toMatchObject({ param, code: 'missing_required_parameter' });
});

test.each([
  ['prompt', { prompt: [1, 2, 3] }],
  ['prompt', { prompt: [[1], [2]] }],
  ['suffix', { suffix: 'end' }],
  ['logprobs', { logprobs: 0 }],
  ['best_of', { best_of: 2 }],
])('%s cannot be translated to chat: %j', (param, fields) => {
  const parsed = parse({ ...valid, ...fields });
  const expected = { kind: 'invalid-request', param, code: 'unsupported_parameter' };
  expect(refusal(() => parsed.canonical())).toMatchObject(expected);
});

test('settings that chat supports are translated, and null means unset', () => {
  const same = { n: 2, seed: 7, temperature: 0, user: 'u' };
  const { canonical, stream, model } = parse({
    ...{ ...valid, ...same, stream: true, max_tokens: 5, top_p: 0.5, stop: '.', best_of: 2, suffix: null },
    ...{ presence_penalty: 1, frequency_penalty: -1, logit_bias: { 50256: -100 }, logprobs: null },
  });
  expect({ stream, model }).toEqual({ stream: true, model: 'm' });
  expect(canonical()).toEqual({
    ...{ messages: [user('Once')], ...same, maxTokens: 5, topP: 0.5, stop: ['.'] },
    ...{ presencePenalty: 1, frequencyPenalty: -1, logitBias: { 50256: -100 } },
  });
  expect(Object.keys(parse({ ...valid, stop: null, user: null }).canonical())).toEqual(['messages']);
});

test('each prompt becomes a conversation', () => {
  const { canonical } = parse({ ...valid, prompt: ['a', '', 'c'] });
  expect(canonical()).toEqual({ messages: [user('a')], others: [[user('')], [user('c')]] });
});

test.each<[object, string[] | undefined]>([
  [{ guided_json: { type: 'object' } }, ['guided_json']],
  [{ response_format: { type: 'json_object' } }, ['response_format']],
  [{ response_format: null, grammar: null }, undefined],
])('the constraints of %j that chat upstreams cannot honour are %j', (fields, names) => {
  const { vendorFields } = parse({ ...valid, ...fields }).canonical();
  expect(vendorFields).toEqual(names && { format: 'completions', names });
});

test.each([
  [{ max_tokens: 7 }, 7],
  [{ max_tokens: 7, n: 2 }, 14],
  [{ max_tokens: 7, n: 2, best_of: 3, prompt: ['a', 'b'] }, 42],
  [{ max_tokens: null }, undefined],
  [{}, undefined],
])('the most output of %j is %s', (fields, tokens) => {
  expect(parse({ ...valid, ...fields }).maxTokens).toBe(tokens);
});
