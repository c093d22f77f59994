import { expect, test } from 'vitest';
import { firstStop, stretched, tokensOf, upTo } from './tokens.ts';

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
  const tokens = ['one', ' two', ' three'];
  expect(firstStop(tokens.join(''), ['o th'])).toEqual({ string: 'o th', at: 6 });
  expect(firstStop(tokens.join(''), ['three', ' two'])).toEqual({ string: ' two', at: 3 });
  expect(firstStop('one two', ['four'])).toBeNull();
  expect(upTo(tokens, 6)).toEqual(['one', ' tw']);
  expect(upTo(tokens, 3)).toEqual(['one']);
  expect(upTo(tokens, 0)).toEqual([]);
});

test('a text is stretched or cut to a number of tokens', () => {
  expect(stretched(['one', ' two'], 1)).toEqual(['one']);
  expect(stretched([], 0)).toEqual([]);
  const long = stretched(['one'], 200);
  expect(long).toHaveLength(200);
  for (const awkward of ['"', '\\', '\n', 'é', '数', '🚀']) expect(long.join('')).toContain(awkward);
});
