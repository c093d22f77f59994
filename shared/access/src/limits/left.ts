import type { Charged } from '../budgets/budget.ts';
import type { Left } from './ask.ts';
import type { Counted } from './limits.ts';

/** A question to the leader about limits and budgets, without a request. */
export interface LeftQuestion {
  counted: readonly Counted[];
  budgets: readonly Charged[];
}

/** The state of one counted set of limits. An absent one does not apply. */
export interface LeftOf {
  requests?: Left;
  tokens?: Left;
  /** The running requests. */
  running?: number;
}

/** The answer to a {@link LeftQuestion}, in its order. */
export interface LeftAnswer {
  limits: LeftOf[];
  /** In US dollars; null if it cannot be known what was spent. */
  budgets: { spent: number; reserved: number }[] | null;
}
