import type { Charged, Costs, OnSpending, Place, Token } from '@model-gateway/access';
import type { GatewayError } from '@model-gateway/canonical';
import type { FoundModel } from '@model-gateway/catalog';
import type { Admitted } from '../admit.ts';
import type { IngressDeps } from '../deps.ts';
import type { ClientBody, GatewayRequest } from '../gateway-request.ts';
import { type CostedRequest, estimateCost } from './estimate-cost.ts';
import { estimateQuantities } from './quantities.ts';
import { endWhenSpent } from './request-budgets.ts';
import { type CostOptions, RunningCost } from './running-cost.ts';

/** Output tokens that are reserved first for a stream which ends with its budget. */
const firstTokens = 50;

export type CostDeps = Pick<IngressDeps, 'access' | 'catalog' | 'clock' | 'outputs' | 'prices'>;

/** The cost of a request that is about to run. */
export interface ReservedCost {
  costs: Costs;
  onSpending: OnSpending;
  /** Returns the cost of the running request, which holds this place. */
  run(place: Pick<Place, 'raise'>): RunningCost;
}

/** A request whose cost is estimated. */
interface Estimated extends CostedRequest {
  token: Token;
  /** True if it is a stream. */
  stream: boolean;
  /** True if it sets no maximum of its output. */
  grows: boolean;
}

/**
 * Estimates what a request will cost.
 * @throws GatewayError of kind `forbidden` if that is unknown
 */
export async function reserveCost(
  deps: CostDeps,
  request: Estimated,
  found: FoundModel,
  budgets: readonly Charged[],
  end: (reason: GatewayError) => void,
): Promise<ReservedCost> {
  await deps.prices.open();
  const grows = request.stream && (request.grows || budgets.some(({ endsStreams }) => endsStreams));
  const costed = grows ? { ...request, quantities: atFirst(request.quantities, budgets) } : request;
  const { amount, unpriced } = estimateCost(costed, found, deps);
  const ending = endWhenSpent(deps, request.token, reason => request.stream && end(reason));
  const { overspent, onSpending } = ending;
  const { prices, catalog } = deps;
  const fallbackModels: CostOptions['fallbackModels'] = {
    model: name => (unpriced.has(name) ? undefined : catalog.model(name)),
  };
  return {
    costs: { budgets, amount },
    onSpending,
    run: place =>
      new RunningCost({ request: costed, fallbackModels, prices, budgets, amount, grows, overspent }, place),
  };
}

/**
 * Returns the quantities that are reserved for a stream at first. One that ends with its budget begins with little, since it
 * can only end where it asks for more.
 */
function atFirst(quantities: CostedRequest['quantities'], budgets: readonly Charged[]) {
  const isEnding = budgets.some(({ endsStreams }) => endsStreams);
  return isEnding ? { ...quantities, output: Math.min(quantities.output, firstTokens) } : quantities;
}

/** Estimates what a client's request will cost. @throws GatewayError of kind `forbidden` if that is unknown */
export async function reserveRequest(
  deps: CostDeps,
  {
    admitted,
    request,
    body,
    input,
  }: { admitted: Admitted; request: GatewayRequest; body: ClientBody; input: number },
  found: FoundModel,
  budgets: readonly Charged[],
): Promise<ReservedCost> {
  const { token } = admitted;
  const { model, type: operation } = request;
  const quantities = estimateQuantities(request, body, input, () => deps.outputs.usual(model));
  const costed: Estimated = {
    token,
    project: token.project,
    model,
    operation,
    quantities,
    stream: 'stream' in request && request.stream,
    grows: operation === 'generate' && request.maxTokens === undefined,
  };
  return reserveCost(deps, costed, found, budgets, reason => admitted.end(reason));
}
