import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import type { Page } from '../newest-first.ts';
import { type AttemptFilter, isWithin, matchesAttempt, type UsageSpan } from './filter.ts';
import { idAt, timeOf } from './partitions.ts';
import { isSearch, SearchStep, searchedSpan } from './search.ts';

/** All but the upstream's usage object, which may be large. */
const { raw: _, ...columns } = getTableColumns(usage);

/** Time after which a list ends that has not found enough rows, in milliseconds. Its page goes on from there. */
const searchMs = 4_000;

/** A page of the ledger, newest first. `next` is the place after which the next page begins; null if there is none. */
interface UsageRows {
  rows: Awaited<ReturnType<typeof readUsage>>;
  next: string | null;
}

/** Lists rows of the ledger, newest first. The place of a row is its id. */
export async function listUsage(
  db: Database,
  filter: AttemptFilter,
  { limit, after, ms = searchMs }: Page<string> & { ms?: number },
): Promise<UsageRows> {
  const began = performance.now();
  const last = after && { at: await startOf(db, after), id: after };
  const isBefore = last ? sql`${place} < ${placeOf(last.at, last.id)}` : undefined;
  const read = (span: UsageSpan, limit: number) =>
    readUsage(db, and(fulfils({ ...filter, ...span }), isBefore), 'newest', limit);
  if (!isSearch(filter)) return pageOf(await read({}, limit), limit);
  const rows: UsageRows['rows'] = [];
  const { start, end } = await searchedSpan(db, filter);
  const step = new SearchStep();
  for (let to = Math.min(end, last ? last.at.getTime() + 1 : end); to > start; ) {
    const from = Math.max(start, to - step.ms);
    const span = { from: new Date(from), to: new Date(to) };
    rows.push(...(await step.read(() => read(span, limit - rows.length))));
    if (rows.length === limit) break;
    to = from;
    if (to > start && performance.now() - began >= ms) return { rows, next: firstIdAt(new Date(to)) };
  }
  return pageOf(rows, limit);
}

function pageOf(rows: UsageRows['rows'], limit: number): UsageRows {
  return { rows, next: (rows.length === limit && rows.at(-1)?.id) || null };
}

function readUsage(db: Database, where: SQL | undefined, first: 'newest' | 'oldest', limit: number) {
  const order = first === 'newest' ? [desc(usage.at), desc(usage.id)] : [usage.at, usage.id];
  return db
    .select(columns)
    .from(usage)
    .where(where)
    .orderBy(...order)
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

/** Yields the rows of the ledger in pages, oldest first. A page of a part of its time in which nothing was found is empty. */
export async function* eachUsage(db: Database, filter: AttemptFilter) {
  if (!isSearch(filter)) return yield* pagesOf(db, filter);
  const { start, end } = await searchedSpan(db, filter);
  const step = new SearchStep();
  for (let from = start, to: number; from < end; from = to) {
    to = Math.min(end, from + step.ms);
    yield* pagesOf(db, { ...filter, from: new Date(from), to: new Date(to) }, step);
  }
}

async function* pagesOf(db: Database, filter: AttemptFilter, step = new SearchStep()) {
  let last: { at: Date; id: string } | undefined;
  do {
    const isAfter = last && sql`${place} > ${placeOf(last.at, last.id)}`;
    const where = and(fulfils(filter), isAfter);
    const rows = await step.read(() => readUsage(db, where, 'oldest', exportedAtOnce));
    yield rows;
    last = rows.length === exportedAtOnce ? rows.at(-1) : undefined;
  } while (last);
}

/** Returns the lowest id of a time that a cursor may hold. */
const firstIdAt = (time: Date) => idAt(time).replace('-0000-0000-', '-7000-8000-');

/** The place of a row in the order of pages: by time, which has an index for any span, and then by id. */
const place = sql`(${usage.at}, ${usage.id})`;
const placeOf = (at: Date, id: string) => sql`(${at.toISOString()}::timestamptz, ${id}::uuid)`;

/** Returns the time of a row; that in its id if it is not in the ledger any more. */
async function startOf(db: Database, id: string): Promise<Date> {
  const [row] = await db.select({ at: usage.at }).from(usage).where(eq(usage.id, id));
  return row?.at ?? new Date(timeOf(id));
}

function fulfils({ from, to, ...wanted }: AttemptFilter): SQL | undefined {
  return and(isWithin(usage.at, { from, to }), matchesAttempt(wanted));
}
