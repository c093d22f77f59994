import { z } from 'zod/mini';

/** The most records in a page. */
export const largestPage = 1_000;

export const pageLimit = z._default(
  z.coerce.number().check(z.int(), z.minimum(1), z.maximum(largestPage)),
  100,
);

export const exportFormat = z._default(z.enum(['csv', 'jsonl']), 'csv');
