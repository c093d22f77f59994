import { GatewayError } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const valid = { model: 'm', prompt: 'Once' };

function refused(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return { kind: error.kind, ...error.details };
    throw error;
  }
  throw new Error('not refused');
}

describe('an invalid request is rejected with the name of the field', () => {
  test.each<[string, string, Record<string, unknown>]>([
    ['model', 'missing_required_parameter', { prompt: 'x' }],
    ['prompt', 'missing_required_parameter', { model: 'm' }],
    ['prompt', 'invalid_type', { model: 'm', prompt: 5 }],
    ['max_tokens', 'invalid_type', { ...valid, max_tokens: 'many' }],
    ['temperature', 'decimal_below_min_value', { ...valid, temperature: -0.1 }],
    ['logprobs', 'integer_above_max_value', { ...valid, logprobs: 6 }],
    ['n', 'integer_below_min_value', { ...valid, n: 0 }],
    ['echo', 'invalid_type', { ...valid, echo: 'yes' }],
    ['best_of', 'invalid_value', { ...valid, n: 3, best_of: 2 }],
    ['best_of', 'invalid_value', { ...valid, stream: true, best_of: 2 }],
  ])('%s is invalid: %s', (param, code, body) => {
    expect(refused(() => parse(body))).toEqual({ kind: 'invalid-request', param, code });
  });

  test.each<[string, Record<string, unknown>]>([
    ['prompt', { prompt: [1, 2, 3] }],
    ['prompt', { prompt: [[1], [2]] }],
    ['suffix', { suffix: 'end' }],
    ['logprobs', { logprobs: 0 }],
    ['best_of', { best_of: 2 }],
  ])('%s cannot be translated to chat: %j', (param, fields) => {
    const parsed = parse({ ...valid, ...fields });
    const expected = { kind: 'invalid-request', param, code: 'unsupported_parameter' };
    expect(refused(() => parsed.canonical())).toEqual(expected);
  });
});

test('settings that chat supports are translated, and null means unset', () => {
  const { canonical, stream, model } = parse({
    ...valid,
    stream: true,
    max_tokens: 5,
    temperature: 0,
    top_p: 0.5,
    stop: '.',
    n: 2,
    best_of: 2,
    seed: 7,
    presence_penalty: 1,
    frequency_penalty: -1,
    logit_bias: { 50256: -100 },
    user: 'u',
    suffix: null,
    logprobs: null,
  });
  expect({ stream, model }).toEqual({ stream: true, model: 'm' });
  expect(canonical()).toEqual({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Once' }] }],
    maxTokens: 5,
    temperature: 0,
    topP: 0.5,
    stop: ['.'],
    n: 2,
    seed: 7,
    presencePenalty: 1,
    frequencyPenalty: -1,
    logitBias: { 50256: -100 },
    user: 'u',
  });
  expect(Object.keys(parse({ ...valid, stop: null, user: null }).canonical())).toEqual(['messages']);
});

test('each prompt becomes a conversation', () => {
  const of = (text: string) => [{ role: 'user', content: [{ type: 'text', text }] }];
  expect(parse({ ...valid, prompt: ['a', '', 'c'] }).canonical()).toEqual({
    messages: of('a'),
    others: [of(''), of('c')],
  });
});
