import { z } from 'zod/mini';

const amount = (about: string) =>
  z.optional(z.number().check(z.nonnegative('must not be negative'))).check(z.describe(about));

const amounts = {
  input: amount('A million input tokens.'),
  cachedInput: amount(
    'A million input tokens that the provider read from its cache; the price of `input` if absent.',
  ),
  cacheWrite: amount(
    'A million input tokens that the provider wrote to its cache; the price of `input` if absent.',
  ),
  cacheWrite1h: amount('The same, for an hour; the price of `cacheWrite` if absent.'),
  audioInput: amount('A million input tokens of audio; the price of `input` if absent.'),
  imageInput: amount('A million input tokens of images; the price of `input` if absent.'),
  output: amount('A million output tokens.'),
  reasoning: amount('A million output tokens of reasoning; the price of `output` if absent.'),
  audioOutput: amount('A million output tokens of audio; the price of `output` if absent.'),
  image: amount('An image.'),
  second: amount('A second of audio.'),
  characters: amount('A million characters that are spoken.'),
  search: amount('A search of rerank.'),
};

const webSearch = amount('A search of the web by a tool that the provider runs.');
const tiers = 'Prices of service tiers other than the usual one, which take the place of the others.';
const tierName = z
  .string()
  .check(z.minLength(1, 'must not be empty'), z.maxLength(64, 'must have at most 64 characters'));

/** The price of a model in US dollars. */
export const price = z.object({
  ...amounts,
  webSearch,
  tier: z.optional(z.record(z.string(), z.object(amounts))).check(z.describe(tiers)),
});

/**
 * The same, where no other field may be. A model is billed by the quantities that have a price. A price that states only web
 * searches or tiers leaves the others to the vendor's price.
 */
export const priceSettings = z.strictObject({
  ...amounts,
  webSearch,
  tier: z.optional(z.record(tierName, z.strictObject(amounts))).check(z.describe(tiers)),
});
