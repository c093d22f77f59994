import type { Tool } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { clientTools } from './client-tools.ts';

const fn = (name: string, parameters?: Record<string, unknown>): Tool => ({
  ...{ type: 'function', name },
  ...(parameters && { parameters }),
});

test('of tools with one name, the last one counts', () => {
  const search: Tool = { type: 'web-search' };
  const custom: Tool = { type: 'custom', name: 'a' };
  expect(clientTools([fn('a', { type: 'object' }), search, fn('b'), custom, search])).toEqual([
    ...[search, fn('b'), custom, search],
  ]);
});

test.each<[Record<string, unknown>, Record<string, unknown>]>([
  [
    { type: 'object', properties: [] },
    { type: 'object', properties: {} },
  ],
  [{ type: 'object', properties: null, required: null }, { type: 'object' }],
  [
    { type: 'object', properties: { a: [], b: { type: 'object', properties: [] }, c: null } },
    { type: 'object', properties: { a: {}, b: { type: 'object', properties: {} }, c: null } },
  ],
  [
    { type: 'array', items: { anyOf: [{ properties: [] }, { type: 'string', enum: null }] } },
    { type: 'array', items: { anyOf: [{ properties: {} }, { type: 'string' }] } },
  ],
  [
    { $defs: [], additionalProperties: [], default: null, enum: [null], required: [] },
    { $defs: {}, additionalProperties: {}, default: null, enum: [null], required: [] },
  ],
])('the schema %j has no empty lists in place of objects, and no null', (parameters, expected) => {
  expect(clientTools([fn('a', parameters)])).toEqual([fn('a', expected)]);
});

test('a schema in order is the same object', () => {
  const tool = fn('a', { type: 'object', properties: { x: { items: { type: 'string' } } }, required: ['x'] });
  expect(clientTools([tool])[0]).toBe(tool);
});
