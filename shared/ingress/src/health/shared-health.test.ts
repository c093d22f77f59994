import { expect, test } from 'vitest';
import { SharedNames, sharedPerHour } from './shared-health.ts';

test('a process shares the rests of a number of targets in an hour, however many names clients choose', () => {
  const shared = new SharedNames();
  const taken = (now: number) =>
    Array.from({ length: 2 * sharedPerHour }, (_, at) => shared.take(`k${at}`, now)).filter(Boolean).length;
  expect(taken(1)).toBe(sharedPerHour);
  // A target that is known goes on.
  expect([shared.take('k0', 2), shared.take('new', 2)]).toEqual([true, false]);
  expect(taken(3_600_000)).toBe(sharedPerHour);
});
