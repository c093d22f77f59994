import { expect, test } from 'vitest';
import { faultsOf, type Rule, rules } from './rules.ts';
import { productSources } from './sources.ts';

const product = productSources();

test.each(Object.entries<Rule>(rules))('%s', (_name, rule) => {
  expect(product.some(({ path }) => rule.about.test(path))).toBe(true);
  expect(faultsOf(rule, product)).toEqual([]);
});
