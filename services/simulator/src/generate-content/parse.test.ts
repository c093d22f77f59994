import { describe, expect, test } from 'vitest';
import { ApiError } from '../common/api-error.ts';
import { sign } from './checks.ts';
import { parse } from './parse.ts';

const url = '/v1beta/models/sim-fast:generateContent';
const user = (text: string) => ({ role: 'user', parts: [{ text }] });
const oslo = { name: 'weather', args: { city: 'Oslo', day: 1 } };
const call = (more: object = { thoughtSignature: sign(oslo) }) => ({
  role: 'model',
  parts: [{ functionCall: oslo, ...more }],
});
const result = (more: object = {}) => ({
  role: 'user',
  parts: [{ functionResponse: { name: 'weather', response: { output: '4 C' }, ...more } }],
});
const ask = (body: object) => parse({ contents: [user('Hi')], ...body }, {}, url);
const withContents = (...contents: object[]) => ask({ contents });

describe('signatures', () => {
  test.each([
    ['is missing', {}, /missing a thought_signature/],
    ['was changed', { thoughtSignature: `A${sign(oslo).slice(1)}` }, /Corrupted thought signature/],
    ['is of another call', { thoughtSignature: sign({ name: 'other' }) }, /Invalid thought signature/],
    ['is of text', { thoughtSignature: sign() }, /Invalid thought signature/],
    ['is of another vendor', { thoughtSignature: 'am:EqQB' }, /Corrupted thought signature/],
  ])('a signature that %s is rejected', (_what, more, message) => {
    expect(() => withContents(user('Hi'), call(more), result())).toThrow(message);
  });

  test('may be missing in earlier turns, but not in a later step of the current turn', () => {
    expect(withContents(user('Hi'), call({}), result(), user('And now?'))).toBeDefined();
    expect(() => withContents(user('Hi'), call(), result(), call({}), result())).toThrow(
      /missing a thought_signature/,
    );
  });

  test('are required only on the first of parallel calls', () => {
    const rome = { functionCall: { name: 'weather', args: { city: 'Rome' } } };
    const parts = [{ functionCall: oslo, thoughtSignature: sign(oslo) }, rome];
    const results = { role: 'user', parts: [...result().parts, ...result().parts] };
    expect(withContents(user('Hi'), { role: 'model', parts }, results).prompt.results).toHaveLength(2);
    expect(() => withContents(user('Hi'), { role: 'model', parts: [...parts].reverse() }, results)).toThrow(
      /missing/,
    );
  });
});

const mode = { functionCallingConfig: { mode: 'ANY' } };
const parameters = { type: 'object', additionalProperties: false };
test.each<[string, object, RegExp]>([
  ['a request without contents', { contents: [] }, /contents is not specified/],
  ['an unknown field', { nonsense: 1 }, /Unknown name "nonsense": Cannot find field/],
  ['an unknown nested field', { generationConfig: { nonsense: 1 } }, /"nonsense" at 'generation_config'/],
  ['a content without parts', { contents: [{ role: 'user', parts: [] }] }, /parts must not be empty/],
  ['an empty part', { contents: [{ parts: [{}] }] }, /must have one initialized field/],
  ['an unknown role', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, /valid role/],
  [
    'JSON Schema in parameters',
    { tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] },
    /Unknown name "additionalProperties"/,
  ],
  ['ANY without functions', { toolConfig: mode }, /without function_declarations/],
  [
    'a schema without its type',
    { generationConfig: { responseSchema: { type: 'OBJECT' } } },
    /only valid with the response mime type/,
  ],
  [
    'level and budget',
    { generationConfig: { thinkingConfig: { thinkingBudget: 5, thinkingLevel: 'LOW' } } },
    /only set only one/,
  ],
  ['six stop sequences', { generationConfig: { stopSequences: [...'abcdef'] } }, /at most 5/],
])('%s is rejected', (_what, body, message) => {
  expect(() => ask(body)).toThrow(message);
  expect(() => ask(body)).toThrow(ApiError);
});

const count = /number of function response parts/;
const spoken = { role: 'model', parts: [{ text: 'I' }] };
test.each<[string, object[], RegExp]>([
  ['a call without a result', [user('Hi'), call(), user('And?')], count],
  ['a call at the end', [user('Hi'), call()], count],
  ['a result without a call', [user('Hi'), result()], /immediately after a function call turn/],
  ['a result of another name', [user('Hi'), call(), result({ name: 'x' })], /no function call of that/],
  ['a call after text of the model', [user('Hi'), spoken, call(), result()], /immediately after a user turn/],
  ['a call as the first content', [call(), result()], /immediately after a user turn/],
])('%s is rejected', (_what, contents, message) => {
  expect(() => ask({ contents })).toThrow(message);
});
