import { expect, test } from 'vitest';
import { fieldsOf } from './parse.ts';

test.each<[string, string, unknown]>([
  ['n', '2', 2],
  ['n', '1.5', 1.5],
  ['n', 'two', 'two'],
  ['n', '', undefined],
  ['output_compression', '-1', -1],
  ['stream', 'true', true],
  // The spelling of Python clients.
  ['stream', 'False', false],
  ['stream', 'yes', 'yes'],
  ['prompt', '2', '2'],
])('the form field %s with the value %j is read as %j', (name, value, read) => {
  expect(fieldsOf({ fields: [[name, value]] })[name]).toBe(read);
});
