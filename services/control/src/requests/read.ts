import { and, desc, eq, getTableColumns, gt, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { Page } from '../database/newest-first.ts';
import { loggedRequests } from '../database/tables.ts';
import { isWithin, type UsageSpan } from '../usage/filter.ts';

/** The logged requests of a query. An absent field names all. */
interface LoggedFilter extends UsageSpan {
  token?: string | undefined;
  /** A list names each of its entries. */
  project?: string | readonly string[] | undefined;
  owner?: string | undefined;
  model?: string | undefined;
}

const { request: _, response: __, ...withoutTexts } = getTableColumns(loggedRequests);

/** A logged request that has expired is not shown, even before it is deleted. */
const isKept = gt(loggedRequests.expiresAt, sql`now()`);

/** Lists logged requests without their texts, newest first. The place of a request is its id. */
export async function listLogged(
  db: Database,
  { from, to, token, project, owner, model }: LoggedFilter,
  { limit, after }: Page<string>,
) {
  const table = loggedRequests;
  const where: SQL | undefined = and(
    isKept,
    isWithin(table.at, { from, to }),
    token ? eq(table.tokenId, token) : undefined,
    project === undefined ? undefined : inArray(table.project, [project].flat()),
    owner ? eq(table.owner, owner) : undefined,
    model ? eq(table.model, model) : undefined,
    after ? lt(table.id, after) : undefined,
  );
  return db.select(withoutTexts).from(table).where(where).orderBy(desc(table.id)).limit(limit);
}

/** Returns the last logged request with an id, with its texts; undefined if there is none. */
export async function findLogged(db: Database, requestId: string) {
  const { id } = loggedRequests;
  const where = and(isKept, eq(loggedRequests.requestId, requestId));
  const [found] = await db.select().from(loggedRequests).where(where).orderBy(desc(id)).limit(1);
  return found;
}

/** Deletes the logged requests with an id. Returns false if there are none. */
export async function deleteLogged(db: Database, requestId: string): Promise<boolean> {
  const { id } = loggedRequests;
  const where = eq(loggedRequests.requestId, requestId);
  return (await db.delete(loggedRequests).where(where).returning({ id })).length > 0;
}
