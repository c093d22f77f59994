import { expect, test } from 'vitest';
import { orderTargets } from './resolve.ts';
import type { Target } from './schema.ts';

const targets = (...weights: (number | undefined)[]): Target[] =>
  weights.map((weight, at) => ({
    provider: `p${at}`,
    model: 'm',
    ...(weight !== undefined && { weight }),
  }));
const order = (list: Target[], random: number) =>
  orderTargets({ targets: list }, '', () => random)
    .map(target => target.provider)
    .join();

test('targets without weights keep the file order', () => {
  expect(order(targets(undefined, undefined, undefined), 0.99)).toBe('p0,p1,p2');
});

test.each([
  [0, 'p0,p1,p2'],
  [0.2499, 'p0,p1,p2'],
  [0.25, 'p2,p0,p1'],
  [0.9999, 'p2,p0,p1'],
])('the weights 1, 0, 3 and a draw of %d give the order %s', (random, expected) => {
  expect(order(targets(1, 0, 3), random)).toBe(expected);
});

test('a target without a weight counts as weight 0 if others have one', () => {
  expect(order(targets(undefined, 1), 0)).toBe('p1,p0');
});

test('targets whose weights are all 0 keep the file order', () => {
  expect(order(targets(0, 0), 0.7)).toBe('p0,p1');
});

test('each target comes first in proportion to its weight', () => {
  const draws = 10_000;
  const firsts = Array.from({ length: draws }, (_, at) => order(targets(5, 3, 2), (at + 0.5) / draws)[1]);
  const share = (name: string) => firsts.filter(first => first === name).length / draws;
  expect([share('0'), share('1'), share('2')]).toEqual([0.5, 0.3, 0.2]);
});

test('a draw rounded past the last weight picks the last target with a weight', () => {
  expect(order(targets(0.1, 0.2, 0), 1)).toBe('p1,p0,p2');
});

test("a target's * becomes the text that the model's * matched, with special characters unchanged", () => {
  const list = [
    { provider: 'a', model: 'x/*:free' },
    { provider: 'b', model: 'fixed' },
  ];
  expect(orderTargets({ targets: list }, '$&/b', Math.random)).toEqual([
    { provider: 'a', model: 'x/$&/b:free' },
    { provider: 'b', model: 'fixed' },
  ]);
});
