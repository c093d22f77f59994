import type { Catalog } from '../catalog.ts';
import type { ProviderRecord } from '../record.ts';
import { targetsOf } from '../route.ts';
import type { Target } from '../schema.ts';
import { costOf, type Price, type Quantities } from './price.ts';

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
  if (stated) {
    const cost = costOf(attempt, stated);
    return cost === undefined ? undefined : { cost, stated };
  }
  const provider = catalog.provider(attempt.provider);
  const cost = provider && kept?.costOf(attempt, provider);
  return cost === undefined ? undefined : { cost };
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
