import { expect, test } from 'vitest';
import { fastest } from './fastest.ts';

async function measured(...times: number[]): Promise<[number, number]> {
  let tries = 0;
  const least = await fastest(50, async () => times[tries++] ?? 0);
  return [least, tries];
}

test.each([
  ['fast at once', [3], [3, 1]],
  ['slow once', [79, 4], [4, 2]],
  ['always slow', [80, 70, 90, 60, 75], [60, 5]],
])('a time that is %s', async (_, times, expected) => {
  expect(await measured(...times)).toEqual(expected);
});
