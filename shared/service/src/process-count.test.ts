import { expect, test } from 'vitest';
import { processesFor } from './launcher-settings.ts';

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [6, 3],
  [8, 4],
  [96, 4],
])('a machine with %i cores gets %i fronts and as many workers', (cores, count) => {
  expect(processesFor(cores)).toBe(count);
});
