import { expect, test } from 'vitest';
import { ObjectEnd } from './object-end.ts';

function reached(pieces: readonly string[]): boolean {
  const end = new ObjectEnd();
  for (const piece of pieces) end.add(piece);
  return end.reached;
}

test.each<[string, boolean]>([
  ['{}', true],
  [' {"a":[1,{"b":"}"}]} \n', true],
  ['{"a":"\\"}"}', true],
  ['{"a":"\\\\"}', true],
  ['{"a":"\\"}', false],
  ['{"a":{}', false],
  ['{} {}', false],
  ['{}x', false],
  ['[{}]', false],
  ['"{}"', false],
  ['', false],
])('%j is an object to its end: %s', (text, expected) => {
  expect(reached([text])).toBe(expected);
  expect(reached([...text])).toBe(expected);
});
