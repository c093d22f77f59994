import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { valueFor } from './json-value.ts';
import { SeededRandom } from './seeded-random.ts';

const hints = {
  question: 'What is the weather in Oslo for 3 days, in fahrenheit?',
  sentence: 'It is cold.',
  things: ['Oslo'],
  numbers: [3],
};
const make = (schema: unknown, seed = 1) => valueFor(schema, hints, new SeededRandom(seed));

const tree = {
  $defs: {
    node: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        children: { type: 'array', items: { $ref: '#/$defs/node' } },
      },
      required: ['name', 'next', 'children'],
      additionalProperties: false,
    },
  },
  $ref: '#/$defs/node',
};

const schemas: Record<string, z.core.JSONSchema.JSONSchema> = {
  strings: {
    type: 'object',
    properties: {
      a: { type: 'string', minLength: 40 },
      b: { type: 'string', maxLength: 3 },
      c: { type: 'string', format: 'email' },
      d: { type: 'string', format: 'date-time' },
      e: { type: 'string', format: 'uuid' },
    },
    required: ['a', 'b', 'c', 'd', 'e'],
    additionalProperties: false,
  },
  numbers: {
    type: 'array',
    prefixItems: [
      { type: 'integer', minimum: 100 },
      { type: 'integer', maximum: -5 },
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 },
      { type: 'integer', multipleOf: 7, minimum: 8 },
      { type: 'integer', exclusiveMaximum: 2, exclusiveMinimum: 0 },
      { type: 'number', minimum: 5, maximum: 5 },
    ],
  },
  'enum, const, null': {
    type: 'object',
    properties: {
      a: { enum: ['x', 'y'] },
      b: { const: 'only' },
      c: { type: 'null' },
      d: { type: ['string', 'null'] },
      e: { type: 'boolean' },
    },
    required: ['a', 'b', 'c', 'd', 'e'],
  },
  arrays: {
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'integer' }, minItems: 3, maxItems: 4 },
      b: { type: 'array', items: { type: 'string' }, maxItems: 0 },
    },
    required: ['a', 'b'],
  },
  'allOf and anyOf': {
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      {
        type: 'object',
        properties: { b: { oneOf: [{ type: 'integer' }, { type: 'string' }] } },
        required: ['b'],
      },
    ],
  },
  'a required property that is not described': { type: 'object', required: ['constructor'] },
  'a recursive one': tree as z.core.JSONSchema.JSONSchema,
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

test('unique items differ', () => {
  const schema = { type: 'array', uniqueItems: true, minItems: 2, items: { enum: ['x', 'y', 'z'] } };
  expect(make(schema)).toEqual(['x', 'y']);
});

test('endless and malformed schemas have finite values', () => {
  const names = Array.from({ length: 10 }, (_, at) => `p${at}`);
  const itself = { $ref: '#' };
  const endless = {
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, itself])),
    required: names,
  };
  expect(JSON.stringify(make(endless)).length).toBeLessThan(200_000);
  expect(make({ $ref: '#' })).toBeTypeOf('string');
  expect(make({ allOf: [itself, itself, itself, itself] })).toBeTypeOf('string');
  for (const odd of [
    null,
    7,
    [],
    { type: 7 },
    { properties: 3, type: 'object' },
    { anyOf: [] },
    { $ref: '#/a/%' },
  ])
    expect(() => make(odd)).not.toThrow();
});
