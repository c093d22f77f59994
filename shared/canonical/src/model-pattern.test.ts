import { expect, test } from 'vitest';
import { matchesPattern } from './model-pattern.ts';

test.each([
  ['gpt-4o', 'gpt-4o', true],
  ['gpt-4o', 'gpt-*', true],
  ['gpt-4o', '*', true],
  ['gpt-4o', '*4o', true],
  ['gpt-4o', 'g*o', true],
  ['gpt-', 'gpt-*', false],
  ['aa', 'a*a', false],
  ['gpt-4o-mini', 'gpt-4o', false],
  ['claude', 'gpt-*', false],
  ['', '*', false],
])('%j matches %j: %j', (name, pattern, matches) => {
  expect(matchesPattern(name, pattern)).toBe(matches);
});
