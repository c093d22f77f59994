import { z } from 'zod';

const amount = z.number().nonnegative('must not be negative');

const amounts = {
  /** A million input tokens. */
  input: amount.optional(),
  /** A million input tokens that the provider read from its cache; the price of `input` if absent. */
  cachedInput: amount.optional(),
  /** A million input tokens that the provider wrote to its cache; the price of `input` if absent. */
  cacheWrite: amount.optional(),
  /** The same, for an hour; the price of `cacheWrite` if absent. */
  cacheWrite1h: amount.optional(),
  /** A million input tokens of audio; the price of `input` if absent. */
  audioInput: amount.optional(),
  /** A million input tokens of images; the price of `input` if absent. */
  imageInput: amount.optional(),
  /** A million output tokens. */
  output: amount.optional(),
  /** A million output tokens of reasoning; the price of `output` if absent. */
  reasoning: amount.optional(),
  /** A million output tokens of audio; the price of `output` if absent. */
  audioOutput: amount.optional(),
  /** An image. */
  image: amount.optional(),
  /** A second of audio. */
  second: amount.optional(),
  /** A million characters that are spoken. */
  characters: amount.optional(),
  /** A search of rerank. */
  search: amount.optional(),
};

/** The name of a service tier. */
const tierName = z.string().min(1, 'must not be empty').max(64, 'must have at most 64 characters');

/**
 * The price of a model, in US dollars. A model is billed by the quantities that have a price. One that states only web searches or
 * tiers leaves the others to the vendor's price.
 */
export const price = z.strictObject({
  ...amounts,
  /** A search of the web by a tool that the provider runs. */
  webSearch: amount.optional(),
  /** Prices of service tiers other than the usual one, which take the place of those above. */
  tier: z.record(tierName, z.strictObject(amounts)).optional(),
});
export type Price = z.infer<typeof price>;
/** The price of the usual service tier alone. */
export type PriceAmounts = Omit<Price, 'tier'>;

/** The quantities of an attempt. `input` and `output` are the sums of their kinds. */
export interface Quantities {
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioInput: number;
  imageInput: number;
  output: number;
  reasoning: number;
  audioOutput: number;
  images: number;
  seconds: number;
  characters: number;
  searches: number;
  /** Searches of the web by a hosted tool. */
  webSearches?: number;
}
