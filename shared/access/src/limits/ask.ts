import type { Costs, Overspent } from '../budgets/messages.ts';
import type { Counted } from './limits.ts';
import type { Loan } from './loan.ts';

/** A request that asks for its place in the limits. */
export interface Ask {
  /** Unique among the requests of its process. */
  id: number;
  counted: readonly Counted[];
  /** An estimate of the tokens that it will use. */
  tokens: number;
  /** True if its process asks for a loan, since it asks often. */
  borrow?: true;
  /** The id of the loan by which its process granted it. */
  loan?: number;
  /** The amounts that it may spend; absent without a budget. */
  costs?: Costs;
}

/** A limit that a request would have exceeded. */
export interface Exceeded {
  key: string;
  limit: 'requestsPerMinute' | 'tokensPerMinute' | 'concurrency';
  /** The value of the limit. */
  value: number;
  /** Time until the request would fit, in milliseconds; absent if that is unknown, or if it never will. */
  waitMs?: number;
}

/** The state of the limit that is nearest, for response headers. */
export interface Left {
  limit: number;
  remaining: number;
  /** Time until the limit is whole again if no other request comes, in milliseconds. */
  resetMs: number;
}

/** The answer to an {@link Ask}. */
export interface Decision {
  id: number;
  exceeded?: Exceeded;
  /** A budget in which the reserved cost does not fit. */
  overspent?: Overspent;
  /** True if it cannot be known what is left of its budgets. */
  unknown?: true;
  /** The amount that is reserved of its budgets if that is less than it asked for, in US dollars. */
  reserved?: number;
  requests?: Left;
  tokens?: Left;
  loan?: Loan;
}

/** Returns a granted request with the amount that was reserved for it. */
export function withReserved(ask: Ask, { reserved }: Decision): Ask {
  if (reserved === undefined || !ask.costs) return ask;
  return { ...ask, costs: { ...ask.costs, amount: reserved } };
}
