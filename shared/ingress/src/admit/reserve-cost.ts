import type { Charged, Costs, OnSpending, Token } from '@model-gateway/access';
import type { GatewayError } from '@model-gateway/canonical';
import type { FoundModel } from '@model-gateway/catalog';
import type { GatewayRequest } from '@model-gateway/formats/client';
import { type CostedRequest, type EstimatedCost, estimateCost } from '../costs/estimate-cost.ts';
import { estimateQuantities } from '../costs/prices.ts';
import { endWhenSpent } from '../costs/request-budgets.ts';
import { type CostOptions, type CostSlot, RunningCost, type Unseen } from '../costs/running-cost.ts';
import type { ClientBody } from '../form/received.ts';
import type { IngressDeps } from '../process/deps.ts';

/** The least output tokens that are reserved at first for an answer that may grow. */
const leastOutput = 1_000;

export type CostDeps = Pick<IngressDeps, 'access' | 'catalog' | 'clock' | 'outputs' | 'prices'>;

/** The cost of a request that is about to run. */
interface ReservedCost {
  costs: Costs;
  onSpending: OnSpending;
  /** Returns the cost of the running request, which holds this place. */
  run(place: CostSlot): RunningCost;
}

/** A request that reserves its cost, and that `end` ends once a budget is spent. */
interface Reserving {
  token: Token;
  end(reason: GatewayError): void;
}

/** A request whose cost is estimated. */
interface Estimated extends CostedRequest {
  token: Token;
  /** True if its answer may be ended before it is complete: a stream. */
  stream: boolean;
  /** True if the output can be counted while it is streamed: it is text. */
  counts: boolean;
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
  const grows = request.stream && request.counts;
  const ends = grows && budgets.every(({ endsStreams }) => endsStreams);
  const costed = ends ? { ...request, quantities: atFirst(request, deps) } : request;
  const { amount, output, unpriced } = estimateCost(costed, found, deps);
  const ending = endWhenSpent(deps, request.token, reason => request.stream && end(reason));
  const { overspent, onSpending } = ending;
  const { prices, catalog } = deps;
  const fallbackModels: CostOptions['fallbackModels'] = {
    model: name => (unpriced.has(name) ? undefined : catalog.model(name)),
  };
  const isSilent = grows && request.operation === 'generate';
  const unseen = isSilent ? unseenOf(deps, request, found) : undefined;
  return {
    costs: { budgets, amount, token: request.token.id, ...(ends && { grows: true }) },
    onSpending,
    run: place =>
      new RunningCost(
        {
          request: costed,
          fallbackModels,
          prices,
          budgets,
          amount,
          covered: output,
          grows,
          unseen,
          overspent,
        },
        place,
      ),
  };
}

/** Returns the quantities that are reserved at first for an answer that grows, and ends where more is refused: its usual output. */
function atFirst({ quantities, model }: Estimated, { outputs }: CostDeps): CostedRequest['quantities'] {
  return { ...quantities, output: Math.min(quantities.output, Math.max(outputs.usual(model), leastOutput)) };
}

/** Returns what is known of the output that a stream may not show. */
function unseenOf(deps: CostDeps, request: Estimated, found: FoundModel): Unseen {
  const of = (output: number): EstimatedCost =>
    estimateCost({ ...request, quantities: { ...request.quantities, output } }, found, deps);
  const { clock, outputs } = deps;
  return {
    clock,
    usual: outputs.hidden(request.model),
    stated: request.quantities.output,
    most: () => of(request.quantities.output).output,
    costOf: output => of(output).amount,
  };
}

/** Estimates what a client's request will cost. @throws GatewayError of kind `forbidden` if that is unknown */
export async function reserveRequest(
  deps: CostDeps,
  {
    admitted,
    request,
    body,
    input,
  }: { admitted: Reserving; request: GatewayRequest; body: ClientBody; input: number },
  found: FoundModel,
  budgets: readonly Charged[],
): Promise<ReservedCost> {
  const { token } = admitted;
  const { model, type: operation } = request;
  const costed: Estimated = {
    token,
    project: token.project,
    model,
    operation,
    quantities: estimateQuantities(request, body, input),
    choices: choicesOf(request),
    stream: 'stream' in request && request.stream,
    counts: operation === 'generate',
  };
  return reserveCost(deps, costed, found, budgets, reason => admitted.end(reason));
}

/** Returns the number of answers, or of images, that a request asks for. */
function choicesOf(request: GatewayRequest): number | undefined {
  if (request.type === 'image') return request.images;
  return request.type === 'generate' ? request.choices : undefined;
}
