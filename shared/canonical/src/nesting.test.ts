import { expect, test } from 'vitest';
import { maxNesting, nestsTooDeep } from './nesting.ts';

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

test('JSON may nest as deep as the limit, and no deeper', () => {
  expect(nestsTooDeep(nested(maxNesting))).toBe(false);
  expect(nestsTooDeep(nested(maxNesting + 2))).toBe(true);
});

test('what is beside, closed or within a string does not nest', () => {
  expect(nestsTooDeep(`[${'[],{},'.repeat(2000)}1]`)).toBe(false);
  expect(nestsTooDeep(JSON.stringify({ a: '\\"[{'.repeat(2000) }))).toBe(false);
});

test('a text that is no JSON is looked at, too', () => {
  expect(nestsTooDeep('['.repeat(1_000_000))).toBe(true);
  expect(nestsTooDeep('"[[['.repeat(10))).toBe(false);
});
