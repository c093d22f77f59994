import { type Effort, efforts } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { budgetOf, effortOf, nearest } from './effort.ts';

test('a level becomes a budget, and the budget the level', () => {
  const back = efforts.map(effort => [effort, effortOf({ budget: budgetOf({ effort }) })]);
  // Two levels share a budget with another one.
  expect(Object.fromEntries(back)).toEqual({
    ...{
      none: 'none',
      minimal: 'low',
      low: 'low',
      medium: 'medium',
      high: 'high',
      xhigh: 'xhigh',
      max: 'xhigh',
    },
  });
});

test.each<[Effort, Effort[], Effort | undefined]>([
  ['medium', ['low', 'high'], 'high'],
  ['medium', ['low', 'medium'], 'medium'],
  ['minimal', ['low', 'medium', 'high'], 'low'],
  ['max', ['low', 'medium', 'high'], 'high'],
  ['xhigh', ['low', 'high', 'max'], 'max'],
  ['low', ['high'], 'high'],
  ['low', [], undefined],
])('%s of %j is %s', (effort, levels, expected) => {
  expect(nearest(effort, levels)).toBe(expected);
});
