import { expect, test } from 'vitest';
import { Appearance } from './loose-events.ts';

test.each([
  [
    [0, 1, 0, 2],
    [0, 1, 0, 2],
  ],
  [
    [0, 5],
    [0, 5],
  ],
  [
    [1, 1, 2, 1],
    [0, 0, 1, 0],
  ],
  [
    [3, 0, 3, 7],
    [0, 1, 0, 2],
  ],
])('the numbers %j have the places %j', (numbers, places) => {
  const appearance = new Appearance();
  expect(numbers.map(number => appearance.of(number))).toEqual(places);
});
