import { and, desc, lt, max, min, type SQL, sum } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { Page } from '../database/newest-first.ts';
import { refusedCounts, refusedRequests } from '../database/tables.ts';
import { isOneOf, isWithin, type UsageSpan } from '../usage/filter.ts';

/** The refused requests of a query. An absent field names all. */
interface RefusedFilter extends UsageSpan {
  token?: string | undefined;
  /** A list names each of its entries. */
  project?: string | readonly string[] | undefined;
  owner?: string | undefined;
  model?: string | undefined;
  reason?: string | undefined;
}

/** The most sums that are listed. */
const mostSums = 1_000;

/** Lists the refused requests that were recorded, newest first. The place of a request is its id. */
export function listRefused(
  db: Database,
  { request, ...filter }: RefusedFilter & { request?: string | undefined },
  { limit, after }: Page<string>,
) {
  const table = refusedRequests;
  const where = and(
    isWithin(table.at, filter),
    matches(table, filter),
    isOneOf(table.requestId, request),
    after ? lt(table.id, after) : undefined,
  );
  return db.select().from(table).where(where).orderBy(desc(table.id)).limit(limit);
}

/** Returns the number of refused requests of each token and reason, the largest first. */
export function countRefused(db: Database, filter: RefusedFilter) {
  const table = refusedCounts;
  const { tokenId, status, reason } = table;
  const refused = sum(table.count).mapWith(Number);
  return db
    .select({
      ...{ tokenId, status, reason, refused },
      ...{ project: min(table.project), owner: min(table.owner), last: max(table.start) },
    })
    .from(table)
    .where(and(isWithin(table.start, filter), matches(table, filter)))
    .groupBy(tokenId, status, reason)
    .orderBy(desc(refused), reason, tokenId)
    .limit(mostSums);
}

function matches(
  table: typeof refusedCounts | typeof refusedRequests,
  { token, project, owner, model, reason }: RefusedFilter,
): SQL | undefined {
  return and(
    isOneOf(table.tokenId, token),
    isOneOf(table.project, project),
    isOneOf(table.owner, owner),
    isOneOf(table.model, model),
    isOneOf(table.reason, reason),
  );
}
