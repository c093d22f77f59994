import { describe, expect, test } from 'vitest';
import { chatDialect } from '../chat/dialect.ts';
import { converseDialect } from '../converse/dialect.ts';
import { generateContentDialect } from '../generate-content/dialect.ts';
import { messagesDialect } from '../messages/dialect.ts';
import { responsesDialect } from '../responses/dialect.ts';
import { encodeInput } from '../testing/encode-input.ts';
import type { CanonicalInput } from './dialect.ts';
import { withPlainSchema } from './tools.ts';

const text = { type: 'string' };
const number = { type: 'number' };
const object = (properties: object, required?: string[]) => ({
  ...{ type: 'object', properties },
  ...(required && { required }),
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    'alternatives have the properties of all, and require what all require',
    { anyOf: [object({ a: text, b: text }, ['a', 'b']), object({ a: text, c: number }, ['a'])] },
    object({ a: text, b: text, c: number }, ['a']),
  ],
  [
    'a property that differs may be any of them',
    { oneOf: [object({ a: text }, ['a']), object({ a: number }, ['a']), object({ a: text }, ['a'])] },
    object({ a: { anyOf: [text, number] } }, ['a']),
  ],
  [
    'parts require what each requires, and keep what stands beside them',
    {
      ...object({ d: text }, ['d']),
      description: 'x',
      allOf: [object({ a: text }, ['a']), object({ b: text }, ['b'])],
    },
    { ...object({ d: text, a: text, b: text }, ['d', 'a', 'b']), description: 'x' },
  ],
  [
    'alternatives by reference are followed, and circles end',
    {
      $defs: {
        a: { ...object({ a: text }, ['a']), anyOf: [{ $ref: '#/$defs/b' }] },
        b: { $ref: '#/$defs/a' },
      },
      anyOf: [{ $ref: '#/$defs/a' }],
    },
    {
      $defs: {
        a: { ...object({ a: text }, ['a']), anyOf: [{ $ref: '#/$defs/b' }] },
        b: { $ref: '#/$defs/a' },
      },
      ...object({ a: text }, ['a']),
    },
  ],
  [
    'null beside an object adds nothing',
    { anyOf: [object({ a: text }, ['a']), { type: 'null' }] },
    object({ a: text }, ['a']),
  ],
  [
    'alternatives in required names alone keep the properties',
    { ...object({ a: text, b: text }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    object({ a: text, b: text }),
  ],
  ['no alternatives at all', { anyOf: 5 }, object({})],
])('%s', (_what, parameters, expected) => {
  expect(withPlainSchema({ parameters, strict: true })).toEqual({ parameters: expected });
});

test('a schema without alternatives at its top is the same', () => {
  const parameters = object({ a: { anyOf: [text, number] } });
  expect(withPlainSchema({ parameters, strict: true }).parameters).toBe(parameters);
  expect(withPlainSchema({ parameters, strict: true }).strict).toBe(true);
  expect(withPlainSchema({})).toEqual({});
});

test('a schema of many levels and names is read at once', () => {
  const many = object(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, text])));
  let schema: object = many;
  for (let level = 0; level < 300; level++) schema = { allOf: [schema, many] };
  const { parameters } = withPlainSchema({ parameters: schema as Record<string, unknown> });
  expect(Object.keys(parameters?.properties as object)).toHaveLength(20_000);
});

const either = { anyOf: [object({ a: text }), object({ b: text })] };

describe.each([
  ['messages', messagesDialect, {}, false],
  ['converse', converseDialect, {}, false],
  ['generate-content', generateContentDialect, {}, false],
  ["OpenAI's chat", chatDialect, { original: true }, false],
  ["OpenAI's responses", responsesDialect, { original: true }, false],
  ['chat of other servers', chatDialect, {}, true],
  ['responses of other servers', responsesDialect, {}, true],
])('a tool sent to %s', (_what, dialect, facts, kept) => {
  test(`${kept ? 'keeps' : 'has no'} alternatives at the top of its schema`, () => {
    const tools = [{ type: 'function' as const, name: 'f', parameters: either }];
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'a' }] }];
    const input = encodeInput({ model: 'amazon.nova', request: { messages, tools }, ...facts });
    const sent = dialect.encode(input as CanonicalInput).body.toString();
    expect(sent.includes('anyOf')).toBe(kept);
    expect(sent).toContain('"b":{"type":"string"}');
  });
});
