import { randomBytes } from 'node:crypto';
import { hashSecret } from '@model-gateway/access';
import type { AccountRole, ProjectRole } from '@model-gateway/admin-api';
import { and, eq, getTableColumns, gt, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { newestFirst, type Page, type PlaceInTime } from '../database/newest-first.ts';
import { accountProjects, accounts } from '../database/people-tables.ts';
import { projects } from '../database/tables.ts';
import type { Caller } from './caller.ts';

/** The start of each token of a service account. */
const accountPrefix = 'sa-';
const prefixLength = 11;

/** A service account as stored, with the names of its projects. */
export type Account = typeof accounts.$inferSelect & { projects: string[] };

/** A service account to be created. */
interface RequestedAccount {
  name: string;
  role: AccountRole;
  projectIds: readonly string[];
  expiresAt: Date;
}

/** Creates a service account with a new token, which is only in the returned value. */
export async function createAccount(
  tx: Database,
  { name, role, projectIds, expiresAt }: RequestedAccount,
): Promise<Account & { token: string }> {
  const { token, ...stored } = newToken();
  const [row] = await tx
    .insert(accounts)
    .values({ name, role, expiresAt, ...stored })
    .returning();
  if (!row) throw new Error('a row that was just written is not there');
  if (projectIds.length > 0)
    await tx.insert(accountProjects).values(projectIds.map(projectId => ({ accountId: row.id, projectId })));
  const [account] = await withProjects(tx, [row]);
  return { ...(account as Account), token };
}

/** Gives a service account a new token; the old one is refused from then on. */
export async function rotateAccount(
  tx: Database,
  id: string,
  expiresAt: Date,
): Promise<(Account & { token: string }) | undefined> {
  const { token, ...stored } = newToken();
  const rows = await tx
    .update(accounts)
    .set({ expiresAt, ...stored })
    .where(isLive(id))
    .returning();
  const [account] = await withProjects(tx, rows);
  return account && { ...account, token };
}

/** Revokes a service account; false if there is no such account that is not revoked. */
export async function revokeAccount(tx: Database, id: string): Promise<boolean> {
  const rows = await tx.update(accounts).set({ revokedAt: sql`now()` }).where(isLive(id)).returning();
  return rows.length > 0;
}

const { micros, order, isAfter } = newestFirst(accounts);

/** Lists the service accounts that are not revoked, newest first; `role` is undefined for every role. */
export async function listAccounts(
  db: Database,
  role: AccountRole | undefined,
  { limit, after }: Page<PlaceInTime>,
): Promise<(Account & { micros: number })[]> {
  const rows = await db
    .select({ ...getTableColumns(accounts), micros })
    .from(accounts)
    .where(and(isNull(accounts.revokedAt), role && eq(accounts.role, role), isAfter(after)))
    .orderBy(...order)
    .limit(limit);
  return withProjects(db, rows);
}

/** Returns a service account; undefined if there is none with this id or it is revoked. */
export async function findAccount(db: Database, id: string): Promise<Account | undefined> {
  return (await withProjects(db, await db.select().from(accounts).where(isLive(id))))[0];
}

/** Returns a service account, and locks it until the transaction ends. */
export async function lockAccount(tx: Database, id: string): Promise<Account | undefined> {
  const rows = await tx.select().from(accounts).where(isLive(id)).for('update');
  return (await withProjects(tx, rows))[0];
}

/** Returns the caller of a service account's token; undefined if it is unknown, revoked or expired. */
export async function callerOfAccount(db: Database, token: string): Promise<Caller | undefined> {
  const valid = and(
    eq(accounts.hash, hashSecret(token)),
    isNull(accounts.revokedAt),
    gt(accounts.expiresAt, sql`now()`),
  );
  const [account] = await withProjects(db, await db.select().from(accounts).where(valid));
  if (!account) return undefined;
  await noteUse(db, account.id);
  const { id, name, role, expiresAt } = account;
  const roles = new Map(
    role === 'admin' ? [] : account.projects.map((project): [string, ProjectRole] => [project, role]),
  );
  return { kind: 'account', id, name, isAdmin: role === 'admin', roles, expiresAt };
}

/** True if a text may be the token of a service account. */
export function isAccountSecret(text: string): boolean {
  return /^sa-[\w-]{43}$/.test(text);
}

/** Notes the use of a service account, once a minute. */
async function noteUse(db: Database, id: string): Promise<void> {
  const minute = sql<Date>`date_trunc('minute', now())`;
  await db
    .update(accounts)
    .set({ lastUsedAt: minute })
    .where(and(eq(accounts.id, id), or(isNull(accounts.lastUsedAt), lt(accounts.lastUsedAt, minute))));
}

function newToken() {
  const token = `${accountPrefix}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashSecret(token), prefix: token.slice(0, prefixLength) };
}

function isLive(id: string) {
  return and(eq(accounts.id, id), isNull(accounts.revokedAt));
}

async function withProjects<Row extends typeof accounts.$inferSelect>(
  db: Database,
  rows: Row[],
): Promise<(Row & { projects: string[] })[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const named = await db
    .select({ id: accountProjects.accountId, name: projects.name })
    .from(accountProjects)
    .innerJoin(projects, eq(projects.id, accountProjects.projectId))
    .where(inArray(accountProjects.accountId, ids))
    .orderBy(projects.name);
  const byId = Map.groupBy(named, ({ id }) => id);
  return rows.map(row => ({ ...row, projects: (byId.get(row.id) ?? []).map(({ name }) => name) }));
}
