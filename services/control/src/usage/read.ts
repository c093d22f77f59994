import { and, desc, eq, getTableColumns, gt, lt, type SQL } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import { isWithin, matches, type UsageFilter } from './filter.ts';

/** All but the upstream's usage object, which may be large. */
const { raw: _, ...columns } = getTableColumns(usage);

/** Lists rows of the ledger, newest first. `before` is the last id of the previous page. */
export async function listUsage(
  db: Database,
  filter: UsageFilter,
  { limit, before }: { limit: number; before?: string | undefined },
) {
  const where = and(fulfils(filter), before ? lt(usage.id, before) : undefined);
  return db.select(columns).from(usage).where(where).orderBy(desc(usage.id)).limit(limit);
}

/** Time around a request in which its attempts begin, in milliseconds: its processes may have different clocks. */
const aroundMs = 60_000;

/** Lists the attempts of a token's request that began at a time and took some milliseconds, oldest first. */
export async function attemptsOf(
  db: Database,
  { requestId, tokenId, at, ms }: { requestId: string; tokenId: string; at: Date; ms: number },
) {
  // An index finds the attempts of a token in a span of time.
  const from = new Date(at.getTime() - aroundMs);
  const to = new Date(at.getTime() + ms + aroundMs);
  const where = and(fulfils({ token: tokenId, from, to }), eq(usage.requestId, requestId));
  return db.select(columns).from(usage).where(where).orderBy(usage.id);
}

/** The most rows of the ledger that are read at once for an export. */
const exportedAtOnce = 1_000;

/** Yields the rows of the ledger in pages, oldest first. */
export async function* eachUsage(db: Database, filter: UsageFilter) {
  let after: string | undefined;
  do {
    const where = and(fulfils(filter), after ? gt(usage.id, after) : undefined);
    const rows = await db.select(columns).from(usage).where(where).orderBy(usage.id).limit(exportedAtOnce);
    yield rows;
    after = rows.length === exportedAtOnce ? rows.at(-1)?.id : undefined;
  } while (after);
}

function fulfils({ from, to, ...wanted }: UsageFilter): SQL | undefined {
  return and(isWithin(usage.at, { from, to }), matches(usage, wanted));
}
