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
