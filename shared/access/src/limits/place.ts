import type { GatewayError } from '@model-gateway/canonical';
import type { Overspent, Settlement } from '../budgets/messages.ts';
import type { Ask, Decision } from './ask.ts';
import type { Spending } from './messages.ts';

/** A request's place in its limits. */
export interface Place {
  decision: Decision;
  /** The error of a request that was refused, which holds no place. */
  refusal?: GatewayError;
  /**
   * Ends it; no effect the second time. `used`: the tokens that the request used; the estimate stays if that is unknown.
   * `settlement`: its cost, if it has a budget and was charged. `unserved`: it reached no upstream, and counts for nothing.
   */
  end(used?: number, settlement?: Settlement, unserved?: boolean): void;
  /** Raises what it may spend, and returns the budget of which nothing is left then; undefined if there is none. */
  raise?(amount: number): Promise<Overspent | undefined>;
}

/** A request that was granted and runs. */
export interface Granted {
  ask: Ask;
  /** Time of the grant, in milliseconds of the monotonic clock. */
  at: number;
  onSpending?: OnSpending | undefined;
}

/** Called each second with what was spent of a budget that ends streams, while a request that counts for it runs. */
export type OnSpending = (spending: Spending) => void;
