import type { Counted, Slot, Token } from '@model-gateway/access';
import { type GatewayError, noUsage, toGatewayError, type Usage } from '@model-gateway/canonical';
import type { FoundModel } from '@model-gateway/catalog';
import type { CostedRequest } from '../costs/estimate-cost.ts';
import { quantitiesOf, unstated } from '../costs/prices.ts';
import { budgetsOf } from '../costs/request-budgets.ts';
import type { RunningCost } from '../costs/running-cost.ts';
import type { IngressDeps } from '../process/deps.ts';
import type { RequestSlot } from './admit.ts';
import { countedOf } from './limit-request.ts';
import { type CostDeps, reserveCost } from './reserve-cost.ts';

type SessionDeps = CostDeps & Pick<IngressDeps, 'limiter'>;

/** A realtime session of a token. */
export interface TokenSession {
  token: Token;
  /** The model's name as the client sent it. */
  model: string;
  found: FoundModel;
  /** Ends the session, or its response that runs, once a budget is spent that ends streams. */
  end(reason: GatewayError): void;
}

/** The output and input of a session, or of a response, as far as they are known before. */
interface Expected extends Partial<Pick<CostedRequest['quantities'], 'input' | 'output'>> {
  operation: 'realtime' | 'generate';
}

/** Takes a place in limits and budgets; undefined if there are none. @throws GatewayError if a limit or a budget does not allow it */
async function takeSlot(
  deps: SessionDeps,
  { token, model, found, end }: TokenSession,
  counted: readonly Counted[],
  { operation, ...expected }: Expected,
): Promise<{ place: Slot; cost: RunningCost | undefined } | undefined> {
  const budgets = budgetsOf(deps, token);
  if (counted.length + budgets.length === 0) return undefined;
  const quantities = { ...quantitiesOf(noUsage), ...expected };
  const request = { token, project: token.project, model, operation, quantities, stream: true, counts: true };
  const reserved = budgets.length > 0 ? await reserveCost(deps, request, found, budgets, end) : undefined;
  const place = await deps.limiter.take(counted, 0, reserved?.costs, reserved?.onSpending);
  if (place.refusal) throw place.refusal;
  return { place, cost: reserved?.run(place) };
}

/**
 * Takes a session's place in the limits of its token and project, and returns the function that ends it.
 * @throws GatewayError of kind `rate-limited` if a limit is reached, `quota-exceeded` if a budget is spent
 */
export async function limitSession(deps: SessionDeps, session: TokenSession): Promise<() => void> {
  const counted = countedOf(deps, session.token, session.model);
  // Its responses are settled one by one; none is reserved yet.
  const taken = await takeSlot(deps, session, counted, { operation: 'realtime' });
  return () => taken?.place.end();
}

/**
 * Takes the place of a response within a session that the gateway holds. `input`: an estimate of its prompt, in tokens.
 * @throws GatewayError of kind `rate-limited` if a limit is reached, `quota-exceeded` if a budget is spent
 */
export async function limitResponse(
  deps: SessionDeps,
  session: TokenSession,
  input: number,
): Promise<RequestSlot> {
  const { outputs } = deps;
  const { model } = session;
  const expected: Expected = { operation: 'generate', input, output: unstated };
  const taken = await takeSlot(deps, session, countedOfResponse(deps, session), expected);
  if (!taken) return { end() {} };
  const { place, cost } = taken;
  return {
    cost,
    end(usage, unserved) {
      if (usage && usage.output > 0) outputs.add(model, usage.output);
      place.end(tokensOf(usage), cost?.settlement(usage), unserved);
    },
  };
}

/** Time in which the ledger has the attempts of a response that has ended, in milliseconds. */
const ledgerMs = 3_000;

/** Ends a response; `usage` is null if it is unknown. */
export type EndResponse = (usage: Pick<Usage, 'input' | 'output'> | null) => void;

/** The limits of the responses of a session at a provider. Each counts as a request, but not among those that run. */
export interface ResponseLimits {
  /** True if there are limits or budgets. */
  apply(): boolean;
  /** Takes the place of a response. @throws GatewayError if a limit is reached or a budget is spent */
  take(): Promise<EndResponse>;
  /** Counts a response that has begun already, even if a limit is reached. If a budget is spent, the session ends. */
  count(): EndResponse;
}

/** Returns the limits of the responses of a session at a provider. */
export function responseLimits(deps: SessionDeps, session: TokenSession): ResponseLimits {
  const limits = () => countedOfResponse(deps, session);
  return {
    apply: () => limits().length > 0 || budgetsOf(deps, session.token).length > 0,
    async take() {
      return (await takeResponse(deps, session, limits())) ?? (() => {});
    },
    count() {
      const counted = limits();
      const endSlot = counted.length > 0 ? deps.limiter.count(counted) : undefined;
      const reserved = takeResponse(deps, session, []).catch(thrown => {
        const error = toGatewayError(thrown);
        if (error.kind === 'quota-exceeded') session.end(error);
        return undefined;
      });
      return usage => {
        endSlot?.(tokensOf(usage));
        void reserved.then(end => end?.(usage));
      };
    },
  };
}

/** Takes the place of a response of a session at a provider, and returns the function that ends it; undefined if nothing limits it. */
async function takeResponse(
  deps: SessionDeps,
  session: TokenSession,
  counted: readonly Counted[],
): Promise<EndResponse | undefined> {
  const taken = await takeSlot(deps, session, counted, { operation: 'realtime', output: unstated });
  if (!taken) return undefined;
  const end: EndResponse = usage => taken.place.end(tokensOf(usage));
  // Its attempt is not known here: what is reserved stays until the ledger has it.
  return taken.cost ? usage => void deps.clock.setTimeout(() => end(usage), ledgerMs).unref() : end;
}

function tokensOf(usage: Pick<Usage, 'input' | 'output'> | null | undefined): number | undefined {
  return usage ? usage.input + usage.output : undefined;
}

/** Returns the limits that a response of a session counts for. */
function countedOfResponse(deps: SessionDeps, { token, model }: TokenSession): Counted[] {
  return countedOf(deps, token, model)
    .map(({ concurrency: _, ...counted }) => counted)
    .filter(counted => Object.keys(counted).length > 1);
}
