import type { KeptPrices, Price, PriceAmounts } from '@model-gateway/catalog';
import { exact } from '../accepted.ts';
import type { Part } from '../account.ts';
import type { CatalogDraft } from '../result.ts';
import type { Channel } from './channels.ts';

/** Names of models of which new-api itself knows the ratio of the output (setting/ratio_setting/model_ratio.go). */
const ownRatio = /^(gpt-|o1|o3|chatgpt-|mistral-|gemini-|command|ERNIE-|llama)|claude-/;
/** Names of models that make images, of which new-api states the price of one. */
const makesImages = /dall-e|gpt-image|imagen|flux|stable-diffusion|seedream|qwen-image/i;
/** Names of models that write no text. */
const noOutput = /embed|rerank|bge-|m3e/i;

/** The quota of new-api for a US dollar, if its options state no other. */
export const usualQuota = 500_000;

/**
 * Returns the prices of models by their names. A token of a model with the ratio 1 costs a unit of quota.
 * `quota` is that for a US dollar.
 */
export function pricesOf(options: Part, names: ReadonlySet<string>, quota: number): Map<string, Price> {
  const prices = new Map<string, Price>();
  for (const entry of options.get('ModelRatio').mapping()) {
    const price = ofTokens(entry, options, names, quota);
    if (price) prices.set(entry.key, price);
  }
  for (const entry of options.get('ModelPrice').mapping()) {
    const amount = entry.number();
    if (!names.has(entry.key)) entry.lose(unserved);
    else if (amount === undefined || amount < 0) entry.lose('A price must not be negative.');
    else if (!makesImages.test(entry.key)) entry.lose('The gateway has no price for a request.');
    else prices.set(entry.key, { image: amount });
  }
  return prices;
}

const unserved = 'No channel that is carried over serves the model.';

function ofTokens(entry: Part, options: Part, names: ReadonlySet<string>, quota: number): Price | undefined {
  const name = entry.key;
  const factors = Object.fromEntries(
    factorNames.map(option => [option, options.get(option).get(name)]),
  ) as Factors;
  const drop = (reason: string) => {
    for (const factor of Object.values(factors)) if (factor.isPresent) factor.lose(reason);
    return entry.lose(reason);
  };
  const ratio = entry.number();
  if (!names.has(name)) return drop(unserved);
  if (options.get('ModelPrice').get(name).isPresent) return drop('The ModelPrice of the model counts.');
  if (ratio === undefined || ratio < 0) return drop('A price must not be negative.');
  const stated = factors.CompletionRatio.number();
  if (stated === undefined && ownRatio.test(name) && !noOutput.test(name))
    return drop(
      'new-api knows the price of its output, and the database does not. The list price applies: state one if it differs.',
    );
  if (stated !== undefined && ownRatio.test(name))
    factors.CompletionRatio.change(
      'For some models of this vendor new-api takes a factor of its own. Check the price of the output.',
    );
  const input = (ratio * 1_000_000) / quota;
  const times = (factor: Part, base = input) => {
    const value = factor.number();
    return value === undefined ? undefined : exact(base * value);
  };
  const audioInput = times(factors.AudioRatio);
  const price: Record<string, number | undefined> = {
    input: exact(input),
    output: noOutput.test(name) ? undefined : exact(input * (stated ?? 1)),
    cachedInput: times(factors.CacheRatio),
    cacheWrite: times(factors.CreateCacheRatio),
    imageInput: times(factors.ImageRatio),
    audioInput,
    audioOutput: times(factors.AudioCompletionRatio, audioInput ?? input),
  };
  return Object.fromEntries(Object.entries(price).filter(([, amount]) => amount !== undefined)) as Price;
}

const factorNames = [
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
] as const;
type Factors = Record<(typeof factorNames)[number], Part>;

/** Multiplies every amount of a price. */
export function timesRatio(price: PriceAmounts, ratio: number): PriceAmounts {
  return Object.fromEntries(Object.entries(price).map(([name, amount]) => [name, exact(amount * ratio)]));
}

/** Reports models of channels of which no price is known. Users of new-api have budgets, and so may not use them. */
export function noteUnpriced(
  channels: readonly Channel[],
  { models, providers }: CatalogDraft,
  kept: KeptPrices,
): void {
  const byName = new Map(providers.map(provider => [provider.name, provider]));
  const priced = new Set(models.flatMap(({ name, price }) => (price ? name : [])));
  for (const { row, models: served, providers: names } of channels) {
    const unpriced = served.filter(({ name, upstream }) => {
      const provider = byName.get(names[0] ?? '');
      if (!provider || priced.has(name)) return false;
      const { kind, baseUrl } = provider;
      const record = { ...{ name: provider.name, kind, headers: {}, pool: 'default', version: 0 } };
      return !kept.priceOf(upstream, { ...record, ...(baseUrl !== undefined && { baseUrl }) });
    });
    if (unpriced.length > 0)
      row
        .get('models')
        .change(
          `No price is known of ${unpriced.map(({ name }) => name).join(', ')}. Tokens with a budget, and those of users with one, may not use it: state a price, or allowUnpriced of the project.`,
        );
  }
}
