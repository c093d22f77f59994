import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import { isWithin, matches, type UsageFilter } from './filter.ts';
import { timeOf } from './partitions.ts';

/** All but the upstream's usage object, which may be large. */
const { raw: _, ...columns } = getTableColumns(usage);

/** Lists rows of the ledger, newest first. `before` is the last id of the previous page. */
export async function listUsage(
  db: Database,
  filter: UsageFilter,
  { limit, before }: { limit: number; before?: string | undefined },
) {
  const isBefore = before && sql`${place} < ${placeOf(await startOf(db, before), before)}`;
  return db
    .select(columns)
    .from(usage)
    .where(and(fulfils(filter), isBefore || undefined))
    .orderBy(desc(usage.at), desc(usage.id))
    .limit(limit);
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
  let last: { at: Date; id: string } | undefined;
  do {
    const isAfter = last && sql`${place} > ${placeOf(last.at, last.id)}`;
    const rows = await db
      .select(columns)
      .from(usage)
      .where(and(fulfils(filter), isAfter))
      .orderBy(usage.at, usage.id)
      .limit(exportedAtOnce);
    yield rows;
    last = rows.length === exportedAtOnce ? rows.at(-1) : undefined;
  } while (last);
}

/** The place of a row in the order of pages: by time, which has an index for any span, and then by id. */
const place = sql`(${usage.at}, ${usage.id})`;
const placeOf = (at: Date, id: string) => sql`(${at.toISOString()}::timestamptz, ${id}::uuid)`;

/** Returns the time of a row; that in its id if it is not in the ledger any more. */
async function startOf(db: Database, id: string): Promise<Date> {
  const [row] = await db.select({ at: usage.at }).from(usage).where(eq(usage.id, id));
  return row?.at ?? new Date(timeOf(id));
}

function fulfils({ from, to, ...wanted }: UsageFilter): SQL | undefined {
  return and(isWithin(usage.at, { from, to }), matches(usage, wanted));
}
