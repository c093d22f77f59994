import { expect, test } from 'vitest';
import { SearchStep } from './search.ts';

const hourMs = 3_600_000;

test('parts of a search grow to a day while they are fast, and shrink while they are slow', () => {
  const step = new SearchStep();
  expect(step.ms).toBe(hourMs);
  step.adapt(500);
  expect(step.ms).toBe(hourMs);
  for (let times = 0; times < 10; times++) step.adapt(5);
  expect(step.ms).toBe(24 * hourMs);
  step.adapt(2_000);
  expect(step.ms).toBe(6 * hourMs);
  for (let times = 0; times < 10; times++) step.adapt(2_000);
  expect(step.ms).toBe(60_000);
});
