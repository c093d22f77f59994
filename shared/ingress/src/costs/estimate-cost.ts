import {
  billedExtras,
  GatewayError,
  type Operation,
  type RequestExtras,
  type WireFormat,
  webSearchTool,
} from '@model-gateway/canonical';
import {
  type Catalog,
  droppedFields,
  type FoundModel,
  type PricedAttempt,
  providerFormats,
  targetsOf,
} from '@model-gateway/catalog';
import { type EstimatedQuantities, mostOutput, type Prices } from './prices.ts';

/** A request, as far as its cost depends on it. */
export interface CostedRequest {
  project: string;
  /** The model's name as the client sent it. */
  model: string;
  operation: Operation;
  /** An estimate of what it will use. Its output is {@link unstated} if it sets no maximum. */
  quantities: EstimatedQuantities;
  /** The number of answers that it asks for at once; one if absent. */
  choices?: number | undefined;
}

/** The places that know models and their prices. */
interface Pricing {
  catalog: Catalog;
  prices: Prices;
}

/** Searches of the web that are reserved for a request which may make some. */
const reservedSearches = 10;

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
 * @throws GatewayError of kind `forbidden` if its model has a target without a price, or without one of what the request asks for
 * beside tokens, and the project does not allow that
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
    else throw priceUnknown(unpricedOf(request, model, pricing), name);
  }
  return { amount, output, unpriced };
}

function priceUnknown({ tools: [tool] = [], tier }: Partial<RequestExtras>, model: string): GatewayError {
  const what = tool ? `the tool '${tool.name}' at ` : tier ? `the service tier '${tier}' of ` : '';
  return new GatewayError(
    'forbidden',
    `The price of ${what}the model '${model}' is unknown, so a budget cannot hold for it. Ask the operator to state its price, or to allow models without a price for this project.`,
    { code: 'price_unknown', ...(tool && { param: tool.field }) },
  );
}

/** Returns the first of a request's extras whose price is unknown; none if the model itself has no price. */
function unpricedOf(request: CostedRequest, found: FoundModel, pricing: Pricing): Partial<RequestExtras> {
  const { quantities } = request;
  const { extras } = quantities;
  const isPriced = (part: RequestExtras | undefined) => {
    const some = { ...request, quantities: { ...quantities, extras: part } };
    return !targetCosts(some, found, { fallback: undefined, output: 0 }, pricing).includes(undefined);
  };
  if (!extras || !isPriced(undefined)) return {};
  const { format, tools = [], tier } = extras;
  const parts = [...tools.map(tool => ({ format, tools: [tool] })), ...(tier ? [{ format, tier }] : [])];
  return parts.find(part => !isPriced(part)) ?? {};
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
  { project, model, operation, quantities: { extras, ...quantities } }: CostedRequest,
  found: FoundModel,
  { fallback, output }: { fallback: string | undefined; output: number },
  { catalog, prices }: Pricing,
): (number | undefined)[] {
  return targetsOf(found.model, found.match).flatMap(target => {
    const provider = catalog.provider(target.provider);
    const formats = provider ? providerFormats(provider, operation, target.model) : [];
    const [preferred] = formats;
    if (!provider || preferred === undefined) return [];
    const route = extras && routeOf(extras, formats, preferred);
    const billed =
      route && billedExtras(extras, { ...route, drop: droppedFields(found.model, provider, route) });
    const attempt: PricedAttempt = {
      ...quantities,
      ...billed,
      ...(billed?.hostedTools?.includes(webSearchTool) && { webSearches: reservedSearches }),
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

function routeOf({ format }: RequestExtras, formats: readonly WireFormat[], preferred: WireFormat) {
  return formats.includes(format)
    ? ({ body: 'verbatim', format } as const)
    : ({ body: 'canonical', format: preferred } as const);
}
