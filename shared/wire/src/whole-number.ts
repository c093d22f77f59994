import { z } from 'zod';

/** A whole number of these bounds; one beyond them has the codes of whole numbers. */
export function wholeNumber({ min, max }: { min: number; max?: number }) {
  const least = z.int().refine(value => value >= min, {
    params: { code: 'integer_below_min_value', expected: `at least ${min}` },
  });
  if (max === undefined) return least;
  return least.refine(value => value <= max, {
    params: { code: 'integer_above_max_value', expected: `at most ${max}` },
  });
}
