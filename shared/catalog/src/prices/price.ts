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

/** True if a price states amounts for what every model is billed by. */
export function hasAmounts({ webSearch: _, tier: __, ...amounts }: Price): boolean {
  return Object.keys(amounts).length > 0;
}

const million = 1_000_000;

/** A part of what is billed: an amount, and the price of one. */
type Part = [amount: number, each: number | undefined];

/**
 * Returns the cost of quantities in US dollars; undefined if the price of a part is unknown. Each token is counted once, however
 * the provider's counts overlap.
 */
export function costOf(used: Quantities, price: Price): number | undefined {
  const tokens = [...inputParts(used, price), ...outputParts(used, price)];
  const units: Part[] = [
    [used.images, price.image],
    [used.seconds, price.second],
    [used.characters, price.characters === undefined ? undefined : price.characters / million],
    [used.searches, price.search],
  ];
  const isByToken = tokens.some(([, each]) => each !== undefined);
  const isByUnit = units.some(([, each]) => each !== undefined);
  // Providers also report quantities that a model is not billed by.
  const billed = [
    ...(isByToken ? tokens : []),
    ...units.filter(([, each]) => each !== undefined || (!isByToken && !isByUnit)),
  ].filter(([amount]) => amount > 0);
  const isUsed = [...tokens, ...units].some(([amount]) => amount > 0);
  if (isUsed && billed.length === 0) return undefined;
  let cost = 0;
  for (const [amount, each] of billed) {
    if (each === undefined) return undefined;
    cost += amount * each;
  }
  return cost;
}

function inputParts(used: Quantities, price: Price): Part[] {
  const take = taker(used.input);
  const { input, cachedInput = input, cacheWrite = input, cacheWrite1h = cacheWrite } = price;
  const { audioInput = input, imageInput = input } = price;
  return [
    [take(used.cachedInput), perToken(cachedInput)],
    [take(used.cacheWrite1h), perToken(cacheWrite1h)],
    [take(used.cacheWrite5m), perToken(cacheWrite)],
    [take(used.audioInput), perToken(audioInput)],
    [take(used.imageInput), perToken(imageInput)],
    [take(used.input), perToken(input)],
  ];
}

function outputParts(used: Quantities, price: Price): Part[] {
  const take = taker(used.output);
  const { output, reasoning = output, audioOutput = output } = price;
  return [
    [take(used.audioOutput), perToken(audioOutput)],
    [take(used.reasoning), perToken(reasoning)],
    [take(used.output), perToken(output)],
  ];
}

/** Returns a function that takes amounts from a sum, as far as it lasts. */
export function taker(sum: number): (amount: number) => number {
  let left = sum;
  return amount => {
    const taken = Math.min(Math.max(0, amount), left);
    left -= taken;
    return taken;
  };
}

function perToken(ofMillion: number | undefined): number | undefined {
  return ofMillion === undefined ? undefined : ofMillion / million;
}
