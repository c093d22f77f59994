import { type Budget, type BudgetOwner, type Period, periodOf } from '@model-gateway/access';
import type { Catalog } from '@model-gateway/catalog';
import { inArray } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { tokens } from '../database/tables.ts';
import { spendingOf } from './spending.ts';

/** The token, project and owner of an attempt. */
export interface Used {
  tokenId: string;
  project: string;
  owner?: string | null | undefined;
}

/** A budget, and what was spent of it in its period. */
export interface Spent extends Period {
  owner: BudgetOwner;
  budget: Budget;
  /** In US dollars. */
  spent: number;
}

/** Returns what was spent of the budgets that attempts count for. `groups`: the projects and users. */
export async function spentOf(db: Database, used: readonly Used[], groups: Catalog): Promise<Spent[]> {
  const budgets = await budgetsOf(db, used, groups);
  const now = Date.now();
  const periods = budgets.map(({ budget }) => periodOf(budget, now));
  const { spent } = await spendingOf(
    db,
    budgets.map(({ owner }, i) => ({ owner, from: (periods[i] as Period).from })),
  );
  return budgets.map((each, i) => ({ ...each, ...(periods[i] as Period), spent: spent[i] ?? 0 }));
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function budgetsOf(
  db: Database,
  used: readonly Used[],
  groups: Catalog,
): Promise<Pick<Spent, 'owner' | 'budget'>[]> {
  const ids = [...new Set(used.map(({ tokenId }) => tokenId).filter(id => uuid.test(id)))];
  const rows = await db
    .select({ id: tokens.id, settings: tokens.settings })
    .from(tokens)
    .where(inArray(tokens.id, ids));
  const projects = [...new Set(used.map(({ project }) => project))];
  const owners = [...new Set(used.flatMap(({ owner }) => owner ?? []))];
  const all: [BudgetOwner, Budget | undefined][] = [
    ...rows.map(({ id, settings }): [BudgetOwner, Budget | undefined] => [['token', id], settings.budget]),
    ...projects.map((name): [BudgetOwner, Budget | undefined] => [['project', name], groups.budgetOf(name)]),
    ...owners.map((name): [BudgetOwner, Budget | undefined] => [['user', name], groups.userBudgetOf(name)]),
  ];
  return all.flatMap(([owner, budget]) => (budget ? [{ owner, budget }] : []));
}
