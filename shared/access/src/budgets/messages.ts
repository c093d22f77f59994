import type { Charged } from './budget.ts';

/** The money that a request may spend, and the budgets that it counts for. */
export interface Costs {
  budgets: readonly Charged[];
  /** Reserved for it, in US dollars. */
  amount: number;
  /** The id of its token. */
  token: string;
  /** True if more is reserved while it runs, and it ends where that is refused. */
  grows?: true;
}

/** A budget that a request would have exceeded. */
export interface Overspent extends Charged {
  /** The amount that was spent of it in its period, in US dollars; with the cost of the request so far if that runs. */
  spent: number;
  /** True if its token would have reserved more than its part of the budget beside other tokens. */
  ofOthers?: true;
}

/** The real cost of a request that has ended, until the ledger has its attempts. */
export interface Settlement {
  budgets: readonly Pick<Charged, 'key' | 'from'>[];
  /** In US dollars; each attempt has an equal part. */
  cost: number;
  /** True if the cost is only what was reserved, since the usage is unknown. */
  estimated?: true;
  /** The ids of the attempts that are charged. */
  attempts: readonly string[];
}

/** A question about budgets, which a control answers from the ledger. */
export interface SpendingQuestion {
  totals: Pick<Charged, 'key' | 'from'>[];
  /** The ids of attempts, of which the ledger may have some. */
  attempts: string[];
}

/** The answer to a {@link SpendingQuestion}. */
export interface SpendingAnswer {
  /** In US dollars, for each total in the order of the question. */
  spent: number[];
  /** Those of the attempts that are in these totals. */
  recorded: string[];
  /** The age of the oldest record that is not in the ledger, in milliseconds. */
  lagMs: number;
}
