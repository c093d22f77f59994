import { z } from 'zod';

/** A schema of an integer within these bounds. Its errors have the codes for integers. */
export function wholeNumber({ min, max }: { min: number; max?: number }) {
  const least = z
    .int()
    .refine(value => value >= min, {
      params: { code: 'integer_below_min_value', expected: `at least ${min}` },
    })
    .meta({ minimum: min });
  if (max === undefined) return least;
  return least
    .refine(value => value <= max, {
      params: { code: 'integer_above_max_value', expected: `at most ${max}` },
    })
    .meta({ maximum: max });
}
