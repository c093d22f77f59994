import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { valueFor } from './json-value.ts';
import { SeededRandom } from './seeded-random.ts';

const question = 'What is the weather in Oslo for 3 days, in fahrenheit?';
const hints = { question, sentence: 'It is cold.', things: ['Oslo'], numbers: [3] };
const make = (schema: unknown, seed = 1) => valueFor(schema, hints, new SeededRandom(seed));

type Schema = z.core.JSONSchema.JSONSchema;
const object = (properties: Record<string, unknown>, more: object = {}) =>
  ({ type: 'object', properties, required: Object.keys(properties), ...more }) as Schema;
const node = { $ref: '#/$defs/node' };
const closed = { additionalProperties: false };
const tree = object(
  {
    name: { type: 'string' },
    next: { anyOf: [node, { type: 'null' }] },
    children: { type: 'array', items: node },
  },
  closed,
);

const schemas: Record<string, Schema> = {
  strings: object(
    {
      ...{ a: { type: 'string', minLength: 40 }, b: { type: 'string', maxLength: 3 } },
      ...{ c: { type: 'string', format: 'email' }, d: { type: 'string', format: 'date-time' } },
      e: { type: 'string', format: 'uuid' },
    },
    closed,
  ),
  numbers: {
    type: 'array',
    prefixItems: [
      ...([
        { type: 'integer', minimum: 100 },
        { type: 'integer', maximum: -5 },
      ] as const),
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 },
      { type: 'integer', multipleOf: 7, minimum: 8 },
      { type: 'integer', exclusiveMaximum: 2, exclusiveMinimum: 0 },
      { type: 'number', minimum: 5, maximum: 5 },
    ],
  },
  'enum, const, null': object({
    ...{ a: { enum: ['x', 'y'] }, b: { const: 'only' }, c: { type: 'null' } },
    ...{ d: { type: ['string', 'null'] }, e: { type: 'boolean' } },
  }),
  arrays: object({
    a: { type: 'array', items: { type: 'integer' }, minItems: 3, maxItems: 4 },
    b: { type: 'array', items: { type: 'string' }, maxItems: 0 },
  }),
  'allOf and anyOf': {
    allOf: [
      object({ a: { type: 'string' } }),
      object({ b: { oneOf: [{ type: 'integer' }, { type: 'string' }] } }),
    ],
  },
  'a required property that is not described': { type: 'object', required: ['constructor'] },
  'a recursive one': { $defs: { node: tree }, ...node },
};

describe('a value satisfies its schema', () => {
  test.each(Object.entries(schemas))('%s', (_name, schema) => {
    const check = z.fromJSONSchema(schema);
    for (let seed = 0; seed < 20; seed++) expect(check.safeParse(make(schema, seed)).error).toBeUndefined();
  });
});

test('values are taken from the question', () => {
  const properties = {
    city: { type: 'string' },
    unit: { enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer' },
  };
  expect(make({ type: 'object', properties })).toEqual({ city: 'Oslo', unit: 'fahrenheit', days: 3 });
});

test('endless and malformed schemas have finite values', () => {
  const itself = { $ref: '#' };
  const endless = object(Object.fromEntries([...'abcdefghij'].map(name => [name, itself])));
  expect(JSON.stringify(make(endless)).length).toBeLessThan(200_000);
  expect(make({ $ref: '#' })).toBeTypeOf('string');
  expect(make({ allOf: [itself, itself, itself, itself] })).toBeTypeOf('string');
  const odd = [null, 7, [], { type: 7 }, { properties: 3, type: 'object' }, { anyOf: [] }, { $ref: '#/a/%' }];
  for (const schema of odd) expect(() => make(schema)).not.toThrow();
});
