import { expect, test } from 'vitest';
import { areArguments, argumentsObject, argumentsText } from './call-arguments.ts';

test.each<[string, unknown]>([
  ['', {}],
  [' \n', {}],
  ['null', {}],
  ['{"a":1}', { a: 1 }],
  [' {"a":1}', { a: 1 }],
  ['[]', {}],
  ['[1]', { value: [1] }],
  ['5', { value: 5 }],
  ['"text"', { value: 'text' }],
  ['"{\\"a\\":1}"', { a: 1 }],
  ['"{ not JSON"', { value: '{ not JSON' }],
  ['{"a":', { _raw: '{"a":' }],
  ['{"a":1}{"a":1}', { _raw: '{"a":1}{"a":1}' }],
  ['['.repeat(600) + ']'.repeat(600), { _raw: '['.repeat(600) + ']'.repeat(600) }],
])('the arguments %s are the object %j', (text, expected) => {
  expect(argumentsObject(text)).toEqual(expected);
});

test('text beyond the bounds of a request is not parsed', () => {
  expect(areArguments(`[${'1,'.repeat(400_000)}`)).toBe(true);
  expect(areArguments(`["${'x'.repeat(200_000)}`)).toBe(false);
});

test('numbers are kept as they are written', () => {
  expect(JSON.stringify(argumentsObject('{"n":12345678901234567890}'))).toBe('{"n":12345678901234567890}');
  expect(JSON.stringify(argumentsObject('12345678901234567890'))).toBe('{"value":12345678901234567890}');
});

test.each<[unknown, string, boolean]>([
  [undefined, '', true],
  [null, '', true],
  ['', '', true],
  ['{ "a": 1.0 }', '{ "a": 1.0 }', true],
  ['[]', '[]', true],
  ['{"a":', '{"_raw":"{\\"a\\":"}', false],
  ['oops', '{"_raw":"oops"}', false],
  [{ a: 1 }, '{"a":1}', false],
  [[], '[]', false],
])('the arguments %j of a history are the text %s', (value, text, same) => {
  expect(argumentsText(value)).toBe(text);
  expect(areArguments(value)).toBe(same);
});
