import { expect, test } from 'vitest';
import { schemaProblem } from './schema-problem.ts';

test.each([
  ['{"type": "object"}', undefined],
  [
    '{"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": true}, "required": ["a"]}',
    undefined,
  ],
  ['[]', 'A schema is an object, such as {"type": "object"}.'],
  ['{"type": "string"}', 'The type of the whole must be "object".'],
  ['{"type": "object", "properties": []}', '"properties" must be an object.'],
  ['{"type": "object", "required": "a"}', '"required" must be a list of names.'],
  ['{"type": "object", "required": ["a"]}', '"required" names "a", which is no property.'],
  ['{"type": "object", "properties": {"a": 1}}', "a: a property's schema is an object."],
  [
    '{"type": "object", "properties": {"a": {"items": {"properties": {"b": {"type": "text"}}}}}}',
    'a[].b: there is no type "text".',
  ],
])('the schema %s', (text, problem) => {
  expect(schemaProblem(text)).toBe(problem);
});

test('a text that is not JSON is told as such', () => {
  expect(schemaProblem('{')).toMatch(/^This is not JSON: /);
});
