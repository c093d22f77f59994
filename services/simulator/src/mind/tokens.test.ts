import { expect, test } from 'vitest';
import { stretched, tokensOf, untilStop } from './tokens.ts';

test.each(['', 'Hi', ' two  spaces ', 'a\n\nb', 'Donaudampfschifffahrt', '数据 🚀🚀🚀🚀🚀🚀🚀🚀', '\n'])(
  'tokens of %j make up the text',
  text => {
    expect(tokensOf(text).join('')).toBe(text);
  },
);

test('no token splits a character', () => {
  for (const token of tokensOf('🚀'.repeat(20))) expect(token.isWellFormed()).toBe(true);
});

test('a stop string ends the text before it, wherever the tokens part', () => {
  expect(untilStop(['one', ' two', ' three'], ['o th'])).toEqual(['one', ' tw']);
  expect(untilStop(['one', ' two', ' three'], ['three', ' two'])).toEqual(['one']);
  expect(untilStop(['one', ' two'], ['four'])).toEqual(['one', ' two']);
  expect(untilStop(['one'], ['one'])).toEqual([]);
});

test('a text is stretched or cut to a number of tokens', () => {
  expect(stretched(['one', ' two'], 1)).toEqual(['one']);
  expect(stretched([], 0)).toEqual([]);
  const long = stretched(['one'], 200);
  expect(long).toHaveLength(200);
  for (const awkward of ['"', '\\', '\n', 'é', '数', '🚀']) expect(long.join('')).toContain(awkward);
});
