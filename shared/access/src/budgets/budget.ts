import { GatewayError } from '@model-gateway/canonical';

/** A budget of a token, a project or a user. */
export interface Budget {
  /** In US dollars, for each period. */
  amount: number;
  period: 'day' | 'week' | 'month' | 'total';
  /** False if running streams go on once it is spent; they end if absent. */
  endsStreams?: boolean | undefined;
}

/** The calendar period that a time belongs to, in milliseconds since 1970. */
export interface Period {
  from: number;
  /** Exclusive; null for never. */
  to: number | null;
}

const dayMs = 86_400_000;

/** Returns the period of a budget at a time. Periods are those of the calendar in UTC; a week starts on Monday. */
export function periodOf({ period }: Pick<Budget, 'period'>, at: number): Period {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const day = Math.floor(at / dayMs) * dayMs;
  switch (period) {
    case 'day':
      return { from: day, to: day + dayMs };
    case 'week': {
      const from = day - ((date.getUTCDay() + 6) % 7) * dayMs;
      return { from, to: from + 7 * dayMs };
    }
    case 'month':
      return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
    case 'total':
      return { from: 0, to: null };
  }
}

/** A budget that a request counts for. */
export interface Charged extends Period {
  /** The token, the project or the user, as text that is the same in every process. */
  key: string;
  /** In US dollars. */
  amount: number;
  /** True if running streams end, too, once it is spent. */
  endsStreams?: true;
}

/** The kind of the owner of a budget, and its id or name. */
export type BudgetOwner = [kind: 'token' | 'project' | 'user', name: string];

/** Returns the budgets that a request counts for at a time. Empty if there is none. */
export function chargedFor(budgets: readonly [BudgetOwner, Budget | undefined][], at: number): Charged[] {
  return budgets.flatMap(([owner, budget]) =>
    budget
      ? [
          {
            key: JSON.stringify(owner),
            amount: budget.amount,
            ...periodOf(budget, at),
            ...(budget.endsStreams !== false && { endsStreams: true as const }),
          },
        ]
      : [],
  );
}

/** Reads the key of a {@link Charged} budget. */
export function budgetOwner(key: string): BudgetOwner {
  return JSON.parse(key) as BudgetOwner;
}

/** True if the requests of several tokens may count for a budget. */
export function isShared({ key }: Pick<Charged, 'key'>): boolean {
  return budgetOwner(key)[0] !== 'token';
}

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

/** Time after which a client should retry while running requests have reserved the rest of a budget, in milliseconds. */
const retryAfterMs = 1_000;

/** The error of a request that does not fit in what is left of a budget. */
export function overspentError(over: Overspent): GatewayError {
  if (over.spent >= over.amount - 1e-9) return spentError(over);
  const message = over.ofOthers
    ? `While requests of other tokens run, those of this one may reserve a quarter of ${named(over)}, and this request may cost more. Retry once they have ended, or ask for fewer output tokens.`
    : `This request may cost more than running requests have left of ${named(over)}. Retry once they have ended.`;
  return new GatewayError('rate-limited', message, { retryAfterMs, share: true });
}

/** The error of a request whose budget is spent. */
export function spentError(over: Overspent): GatewayError {
  const resets =
    over.to === null ? '' : ` It resets at ${new Date(over.to).toISOString().replace('.000', '')}.`;
  return new GatewayError('quota-exceeded', `${capital(named(over))}, is spent.${resets}`);
}

function named(over: Overspent): string {
  const [kind] = budgetOwner(over.key);
  return `the budget of this ${kind === 'user' ? "token's owner" : kind}, ${budgetName(over.amount, over)}`;
}

/** Names a budget: `$5 per day`. */
export function budgetName(amount: number, { from, to }: Period): string {
  if (to === null) return `$${amount}`;
  const days = Math.round((to - from) / 86_400_000);
  return `$${amount} per ${days === 1 ? 'day' : days === 7 ? 'week' : 'month'}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
