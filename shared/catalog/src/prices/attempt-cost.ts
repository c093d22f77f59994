import { isUsualTier, type UsageRecord, webSearchTool } from '@model-gateway/canonical';
import type { Catalog } from '../catalog.ts';
import type { ProviderRecord } from '../record.ts';
import { targetsOf } from '../route.ts';
import type { Price, Target } from '../schema.ts';
import type { Quantities } from './price.ts';

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

/** An attempt at an upstream, as far as its cost depends on it. */
export interface PricedAttempt extends Quantities {
  project: string;
  /** The model that was asked for. */
  model: string;
  /** The model that took over from it. */
  fallback?: string | null | undefined;
  provider: string;
  /** The model's name at the provider. */
  upstreamModel: string;
  operation: string;
  /** The names of the tools that the provider ran for it, joined by commas in the ledger. */
  hostedTools?: readonly string[] | string | null | undefined;
  /** The service tier that it was served in. */
  serviceTier?: string | null | undefined;
  /** Start of the attempt. */
  at: Date;
}

/** The vendors' prices, as a package keeps them. */
export interface KeptPrices {
  /** The name and version of the package. */
  version: string;
  /** Returns the cost of an attempt at a provider in US dollars; undefined if the package has no price for it. */
  costOf(attempt: PricedAttempt, provider: ProviderRecord): number | undefined;
  /** Returns the price of a model at a provider, without what the package has for longer prompts or other hours. */
  priceOf(upstreamModel: string, provider: ProviderRecord): Price | undefined;
}

/** A cost in US dollars, and the price of the catalog that it follows; absent if it is the vendor's. */
interface AttemptCost {
  cost: number;
  stated?: Price;
}

/** Returns the cost of an attempt; undefined if its price is unknown. */
export function attemptCost(
  attempt: PricedAttempt,
  catalog: Catalog,
  kept: KeptPrices | undefined,
): AttemptCost | undefined {
  const stated = statedPrice(attempt, catalog);
  const tools = toolCost(attempt, stated);
  const price = tierPrice(attempt, stated);
  if (tools === undefined || price === undefined) return undefined;
  const provider = catalog.provider(attempt.provider);
  const cost = hasAmounts(price) ? costOf(attempt, price) : provider && kept?.costOf(attempt, provider);
  return cost === undefined ? undefined : { cost: cost + tools, ...(stated && { stated }) };
}

/** Returns the cost of an attempt's hosted tools; undefined if the price of one is unknown. */
function toolCost({ hostedTools, webSearches = 0 }: PricedAttempt, stated: Price | undefined) {
  const names = typeof hostedTools === 'string' ? hostedTools.split(',') : (hostedTools ?? []);
  const isPriced = (name: string) => name === webSearchTool && stated?.webSearch !== undefined;
  if (names.some(name => !isPriced(name))) return undefined;
  return webSearches === 0 ? 0 : stated?.webSearch && webSearches * stated.webSearch;
}

/** Returns the price of an attempt's service tier; undefined if it is not the usual one and has no price. Without amounts, the vendor's applies. */
function tierPrice({ serviceTier }: PricedAttempt, stated: Price = {}): Price | undefined {
  if (!serviceTier || isUsualTier(serviceTier)) return stated;
  const ofTier = stated.tier?.[serviceTier];
  return ofTier && { ...stated, ...ofTier };
}

/** Returns the price that the catalog has for an attempt: that of its project, its target or its model. */
function statedPrice(
  { project, fallback, model, provider, upstreamModel }: PricedAttempt,
  catalog: Catalog,
): Price | undefined {
  const served = fallback ?? model;
  const found = catalog.model(served);
  const isTarget = (target: Target) => target.provider === provider && target.model === upstreamModel;
  return (
    catalog.priceFor(project, served) ??
    (found &&
      (targetsOf(found.model, found.match).find(target => target.price && isTarget(target))?.price ??
        found.model.price))
  );
}

/** The name of a model or provider that is not in the catalog. */
const unknown = 'other';

/**
 * Returns the names in the catalog of an attempt's model, which may be a pattern, and of its provider: clients invent names that match
 * patterns. `other` stands for what is not in the catalog.
 */
export function attemptNames(
  catalog: Pick<Catalog, 'model' | 'provider'>,
  { model, fallback, provider }: Pick<UsageRecord, 'model' | 'provider'> & { fallback?: string | null },
): { model: string; provider: string } {
  return {
    model: catalog.model(fallback ?? model)?.model.name ?? unknown,
    provider: catalog.provider(provider) ? provider : unknown,
  };
}
