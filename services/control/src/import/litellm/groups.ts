import type { NewToken } from '@model-gateway/admin-api';
import { acceptableName, exact, type Limits, limitsOf, Names } from '../accepted.ts';
import type { Part } from '../account.ts';
import type { CatalogDraft, ImportedToken, ProjectDraft, UserDraft } from '../result.ts';

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

export type Budget = NonNullable<NewToken['budget']>;

/** The fields of a budget in a row of LiteLLM's database. */
interface BudgetFields {
  amount: Part;
  duration: Part;
  /** The spent part of it. */
  spent: Part;
}

/** A budget. `spent` if nothing is left of it. */
type ReadBudget = { budget?: Budget | undefined; isSpent: boolean };

const day = 86_400;
const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: day,
  w: 7 * day,
  mo: 30 * day,
};
const words: Readonly<Record<string, string>> = { daily: '1d', weekly: '7d', monthly: '30d' };
/** The longest spans that a period of the calendar stands for, in seconds. */
const periods = [
  ['day', day],
  ['week', 7 * day],
  ['month', 31 * day],
] as const;
const exactDurations = new Set(['1d', '24h', '7d', '1w', '30d', '1mo', '31d']);

/**
 * Reads a budget. One whose period the gateway does not have becomes that of the next longer period with the same amount, which
 * is stricter. Of one without a period, only what is left of it is carried over.
 */
export function budgetOf({ amount, duration, spent }: BudgetFields): ReadBudget {
  const most = amount.number();
  const text = duration.text()?.toLowerCase();
  if (most === undefined) return { isSpent: false };
  const span = text === undefined ? undefined : (words[text] ?? text);
  if (span === undefined) return totalOf(amount, most, spent);
  if (most <= 0) return nothingLeft(amount);
  const seconds = secondsOf(span);
  if (seconds === undefined) duration.change('The period is unknown, so the budget is for all time.');
  const period =
    periods.find(([, longest]) => (seconds ?? Number.POSITIVE_INFINITY) <= longest)?.[0] ?? 'total';
  if (seconds !== undefined && !exactDurations.has(span))
    duration.change(
      `The gateway has no such period. The budget is for ${periodText(period)}, which is stricter.`,
    );
  else if (period !== 'total')
    duration.change('Budgets of the gateway begin with the day, the week or the month in UTC.');
  return { budget: { amount: most, period }, isSpent: false };
}

function totalOf(amount: Part, most: number, spent: Part): ReadBudget {
  const left = exact(most - (spent.number() ?? 0));
  if (left <= 0) return nothingLeft(amount);
  if (left !== most) amount.change('It is a budget for all time. What is left of it is carried over.');
  return { budget: { amount: left, period: 'total' }, isSpent: false };
}

function nothingLeft(amount: Part): ReadBudget {
  amount.change('Nothing is left of it. Tokens that it holds for are disabled.');
  return { isSpent: true };
}

function periodText(period: Budget['period']): string {
  return period === 'total' ? 'all time' : `a ${period}`;
}

function secondsOf(span: string): number | undefined {
  const [, count, unit] = /^(\d+)(s|m|h|d|w|mo)$/.exec(span) ?? [];
  return count && unit ? Number(count) * (unitSeconds[unit] as number) : undefined;
}

/**
 * Lets the tokens of projects with budgets use models without a price, which cost nothing in LiteLLM. Returns the names of these
 * projects.
 */
export function allowUnpriced(catalog: CatalogDraft, tokens: readonly ImportedToken[]): string[] {
  catalog.projects ??= [];
  const { projects } = catalog;
  const limitedUsers = new Set(catalog.users?.flatMap(({ name, budget }) => (budget ? name : [])));
  const withBudget = tokens.flatMap(({ wanted }) => {
    const has = wanted.budget || limitedUsers.has(wanted.owner ?? '');
    return has ? (wanted.project ?? 'default') : [];
  });
  const names = [
    ...new Set([...withBudget, ...projects.flatMap(({ name, budget }) => (budget ? name : []))]),
  ];
  for (const name of names) {
    const project = projects.find(each => each.name === name);
    if (project) project.allowUnpriced = true;
    else projects.push({ name, allowUnpriced: true });
  }
  return names;
}
