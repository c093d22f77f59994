import { z } from 'zod/mini';
import { price } from './price.ts';

export const priceQuery = z.strictObject({
  /** The project whose prices hold; if absent, those of a project without prices. */
  project: z.optional(z.string()),
  /** The name of a model of the catalog, or one that a pattern matches. */
  model: z.optional(z.string()),
});

/** The price of a model at one of its targets. */
const modelPrice = z.object({
  model: z.string(),
  provider: z.string(),
  /** The model's name at the provider. */
  upstreamModel: z.string(),
  /** Null if it is unknown. */
  price: z.nullable(price),
  /** Where it is stated: `vendor` is the list of vendors' prices; null if it is unknown. */
  source: z.nullable(z.enum(['project', 'target', 'model', 'vendor'])),
});
export type ModelPrice = z.infer<typeof modelPrice>;

/** The prices in force. Those that depend on the length of the prompt are shown as those of a short one. */
export const priceList = z.object({ data: z.array(modelPrice) });
