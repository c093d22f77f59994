import { isUsualTier, type UsageRecord, webSearchTool } from '@model-gateway/canonical';
import type { Catalog } from '../catalog.ts';
import type { ProviderRecord } from '../record.ts';
import { targetsOf } from '../route.ts';
import type { Target } from '../schema.ts';
import { costOf, hasAmounts, type Price, type Quantities } from './price.ts';

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
export interface AttemptCost {
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
