import { GatewayError, type Operation } from '@model-gateway/canonical';
import {
  type Catalog,
  type FoundModel,
  type PricedAttempt,
  providerFormats,
  type Quantities,
  targetsOf,
} from '@model-gateway/catalog';
import { mostOutput } from './most-output.ts';
import type { Prices } from './prices.ts';

/** A request, as far as its cost depends on it. */
export interface CostedRequest {
  project: string;
  /** The model's name as the client sent it. */
  model: string;
  operation: Operation;
  /** An estimate of what it will use. Its output is {@link unstated} if it sets no maximum. */
  quantities: Quantities;
  /** The number of answers that it asks for at once; one if absent. */
  choices?: number | undefined;
}

/** The places that know models and their prices. */
export interface Pricing {
  catalog: Catalog;
  prices: Prices;
}

/** The most models that a request may go to, as in `Fallbacks`. */
const mostModels = 10;

/** An estimate of a request's cost. */
export interface EstimatedCost {
  /** The cost at the dearest target that it may go to, in US dollars. */
  amount: number;
  /** The most output tokens at any of these targets. */
  output: number;
  /** The fallbacks without a price, which must not take it over. */
  unpriced: ReadonlySet<string>;
}

/**
 * Returns the cost of a request at the dearest target that it may go to, those of fallbacks included.
 * @throws GatewayError of kind `forbidden` if its model has a target without a price, and the project does not allow that
 */
export function estimateCost(request: CostedRequest, found: FoundModel, pricing: Pricing): EstimatedCost {
  const { catalog } = pricing;
  const isAllowed = catalog.allowsUnpriced(request.project);
  let amount = 0;
  let output = 0;
  const unpriced = new Set<string>();
  for (const [name, model] of modelsOf(request.model, found, catalog)) {
    const fallback = name === request.model ? undefined : name;
    const most = mostOutput(request, model.model.limits);
    const costs = targetCosts(request, model, { fallback, output: most }, pricing);
    output = Math.max(output, most);
    if (!costs.includes(undefined) || isAllowed) amount = Math.max(amount, ...costs.map(cost => cost ?? 0));
    else if (fallback !== undefined) unpriced.add(fallback);
    else throw priceUnknown(name);
  }
  return { amount, output, unpriced };
}

function priceUnknown(model: string): GatewayError {
  return new GatewayError(
    'forbidden',
    `The price of the model '${model}' is unknown, so a budget cannot hold for it. Ask the operator to state its price, or to allow models without a price for this project.`,
    { code: 'price_unknown' },
  );
}

/** Returns the model of a request and its fallbacks, with theirs. */
function modelsOf(name: string, found: FoundModel, catalog: Catalog): Map<string, FoundModel> {
  const models = new Map([[name, found]]);
  for (const { model } of models.values())
    for (const fallback of Object.values(model.fallbacks ?? {}).flat()) {
      const other = fallback === undefined ? undefined : catalog.model(fallback);
      if (other && fallback !== undefined && models.size < mostModels && !models.has(fallback))
        models.set(fallback, other);
    }
  return models;
}

/** Returns the cost of a request at each target of a model that serves its operation; undefined where it is unknown. */
function targetCosts(
  { project, model, operation, quantities }: CostedRequest,
  found: FoundModel,
  { fallback, output }: { fallback: string | undefined; output: number },
  { catalog, prices }: Pricing,
): (number | undefined)[] {
  return targetsOf(found.model, found.match).flatMap(target => {
    const provider = catalog.provider(target.provider);
    if (!provider || providerFormats(provider, operation, target.model).length === 0) return [];
    const attempt: PricedAttempt = {
      ...quantities,
      output,
      project,
      model,
      fallback,
      provider: target.provider,
      upstreamModel: target.model,
      operation,
      at: prices.now(),
    };
    // Some models are billed by their input alone, whatever their output is called.
    return [prices.costOf(attempt) ?? prices.costOf({ ...attempt, output: 0 })];
  });
}
