import type { Part } from '../account.ts';
import { type Limits, limitsOf } from '../limits.ts';
import { acceptableName, Names } from '../names.ts';
import type { ProjectDraft, UserDraft } from '../result.ts';
import { budgetOf, type ReadBudget } from './budget.ts';

/** A team of LiteLLM, as a project. */
export interface Team {
  project: ProjectDraft;
  /** The models that its keys may use; undefined for all. */
  models: string[] | undefined;
  /** The reason why its tokens are disabled; undefined if they are not. */
  disabledBecause: string | undefined;
}

/** A user of LiteLLM. */
export interface Owner {
  user: UserDraft;
  disabledBecause: string | undefined;
}

export type Budgets = ReadonlyMap<string, Part>;

/** Returns the rows of LiteLLM_BudgetTable by their ids. */
export function budgetsOf(rows: readonly Part[]): Budgets {
  return new Map(rows.map(row => [row.get('budget_id').text() ?? '', row]));
}

/** Returns the teams of LiteLLM by their ids. */
export function teamsOf(rows: readonly Part[]): Map<string, Team> {
  const names = new Names();
  return new Map(
    rows.map(row => {
      const id = row.get('team_id').text() ?? '';
      const { budget, isSpent } = ownBudget(row);
      const { limits, isZero } = ownLimits(row);
      const isBlocked = row.get('blocked').flag() === true;
      const project = {
        name: names.take(acceptableName(row.get('team_alias').text(), id)),
        ...(limits && { limits }),
        ...(budget && { budget }),
      };
      const disabledBecause = isBlocked
        ? 'Its team is blocked.'
        : isSpent || isZero
          ? 'Its team may not spend more.'
          : undefined;
      return [id, { project, models: modelsOf(row.get('models')), disabledBecause }];
    }),
  );
}

/** Returns the users of LiteLLM by their ids. A user is named by the email address, if there is one. */
export function usersOf(rows: readonly Part[]): Map<string, Owner> {
  const names = new Names();
  return new Map(
    rows.map(row => {
      const id = row.get('user_id').text() ?? '';
      const { budget, isSpent } = ownBudget(row);
      const name = names.take(acceptableName(row.get('user_email').text(), id));
      return [
        id,
        {
          user: { name, ...(budget && { budget }) },
          disabledBecause: isSpent ? 'Its user may not spend more.' : undefined,
        },
      ];
    }),
  );
}

/** Reads the budget of a row: its own, or the one of LiteLLM_BudgetTable that it names. */
export function ownBudget(row: Part, budgets?: Budgets): ReadBudget {
  const shared = row.get('max_budget').isPresent
    ? undefined
    : budgets?.get(row.get('budget_id').text() ?? '');
  const source = shared ?? row;
  return budgetOf({
    amount: source.get('max_budget'),
    duration: source.get('budget_duration'),
    spent: row.get('spend'),
  });
}

/** Reads the limits of a row: its own, or those of the budget that it names. */
export function ownLimits(row: Part, budgets?: Budgets): { limits?: Limits; isZero: boolean } {
  const shared = budgets?.get(row.get('budget_id').text() ?? '');
  const of = (field: string) =>
    row.get(field).isPresent ? row.get(field) : (shared?.get(field) ?? row.get(field));
  return limitsOf({
    requestsPerMinute: of('rpm_limit'),
    tokensPerMinute: of('tpm_limit'),
    concurrency: of('max_parallel_requests'),
  });
}

/** Returns the models of a team or a key; undefined for all. */
export function modelsOf(part: Part): string[] | undefined {
  const models = part.entries().flatMap(entry => {
    const name = entry.text() ?? '';
    return name.split('*').length > 2 ? (entry.lose('A name may hold one * at most.') ?? []) : name;
  });
  // An entry that is lost must not turn a limited key into one without limits.
  if (part.entries().length === 0 || models.includes('all-proxy-models') || models.includes('*'))
    return undefined;
  return models;
}
