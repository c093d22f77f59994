import { z } from 'zod/mini';

/** The most records in a page. */
export const largestPage = 1_000;

/** The parameters of every list. `cursor` is the `next` of the page before. */
export const paging = {
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(largestPage)), 100),
  cursor: z.optional(z.string().check(z.maxLength(500, 'must be the next of a page'))),
};

/** Returns the shape of a page. `next` is the `cursor` of the page that follows; null if there is none. */
export function pageOf<Item extends z.ZodMiniType>(item: Item) {
  return z.object({ data: z.array(item), next: z.nullable(z.string()) });
}

export const exportFormat = z._default(z.enum(['csv', 'jsonl']), 'csv');
