import { z } from 'zod/mini';

const amount = z.optional(z.number().check(z.nonnegative('must not be negative')));

const amounts = {
  input: amount,
  cachedInput: amount.check(z.describe('Input tokens that the provider read from its cache.')),
  cacheWrite: amount.check(z.describe('Input tokens that the provider wrote to its cache.')),
  cacheWrite1h: amount.check(z.describe('The same, for an hour.')),
  audioInput: amount,
  imageInput: amount,
  output: amount,
  reasoning: amount,
  audioOutput: amount,
  image: amount,
  second: amount,
  characters: amount,
  search: amount,
};

const webSearch = amount.check(z.describe('A search of the web by a tool that the provider runs.'));
const tiers = 'Prices of service tiers other than the usual one, which take the place of the others.';
const tierName = z
  .string()
  .check(z.minLength(1, 'must not be empty'), z.maxLength(64, 'must have at most 64 characters'));

/** The price of a model in US dollars, for a million tokens or characters, an image, a second of audio, a search. */
export const price = z.object({
  ...amounts,
  webSearch,
  tier: z.optional(z.record(z.string(), z.object(amounts))).check(z.describe(tiers)),
});

/** The same, where no other field may be. */
export const priceSettings = z.strictObject({
  ...amounts,
  webSearch,
  tier: z.optional(z.record(tierName, z.strictObject(amounts))).check(z.describe(tiers)),
});
