import { and, desc, eq, getTableColumns, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { Page } from '../database/newest-first.ts';
import { usage } from '../database/tables.ts';
import { type AttemptFilter, isWithin, matchesAttempt, type UsageSpan } from './filter.ts';
import { timeOf } from './partitions.ts';
import { isSearch, SearchStep, searchedSpan } from './search.ts';
import { searchedParts } from './searched-parts.ts';

/** All but the upstream's usage object, which may be large. */
const { raw: _, ...columns } = getTableColumns(usage);

/** Time after which a list ends that has not found enough rows, in milliseconds. Its page goes on from there. */
export const searchMs = 4_000;
/** Time after which a list ends that has found none. */
export const longestSearchMs = 15_000;

/** The id of the last row of a page; of a search that ended early, the time down to which it came, in milliseconds since 1970. */
type UsagePlace = string | number;

/** A page of the ledger, newest first. */
interface UsageRows {
  rows: Awaited<ReturnType<typeof selectUsage>>;
  /** The place after which the next page begins; null if there is none. */
  next: UsagePlace | null;
  /** The time down to which a search came that ended before it had enough rows; null for one that did not. */
  searchedTo: Date | null;
}

export interface UsagePageOptions extends Page<UsagePlace> {
  /** Time after which a search ends that has found some rows, in milliseconds. */
  ms?: number;
  /** The same of a search that has found none. */
  longestMs?: number;
}

/** Lists rows of the ledger, newest first. */
export async function listUsage(
  db: Database,
  filter: AttemptFilter,
  { limit, after, ms = searchMs, longestMs = longestSearchMs }: UsagePageOptions,
): Promise<UsageRows> {
  const began = performance.now();
  const { isBefore, latest } = await beforePlace(db, after);
  const read = (span: UsageSpan, limit: number) =>
    selectUsage(db, { ...filter, ...span }, { isWanted: isBefore, first: 'newest', limit });
  if (!isSearch(filter) || filter.request !== undefined) return pageOf(await read({}, limit), limit);
  const rows: UsageRows['rows'] = [];
  const { start, end } = await searchedSpan(db, filter);
  const step = new SearchStep();
  const span = { start, end: Math.min(end, latest) };
  for await (const part of searchedParts(db, filter, span, step)) {
    const [from, to] = [new Date(part.start), new Date(part.end)];
    rows.push(...(await step.read(() => read({ from, to }, limit - rows.length))));
    if (rows.length === limit) break;
    if (part.start > start && performance.now() - began >= (rows.length > 0 ? ms : longestMs))
      return { rows, next: part.start, searchedTo: from };
  }
  return pageOf(rows, limit);
}

function pageOf(rows: UsageRows['rows'], limit: number): UsageRows {
  return { rows, next: (rows.length === limit && rows.at(-1)?.id) || null, searchedTo: null };
}

/** Returns the condition of the rows after a place, and the end of their times in milliseconds since 1970. */
async function beforePlace(
  db: Database,
  after: UsagePlace | undefined,
): Promise<{ isBefore?: SQL; latest: number }> {
  if (after === undefined) return { latest: Number.POSITIVE_INFINITY };
  if (typeof after === 'number') return { isBefore: lt(usage.at, new Date(after)), latest: after };
  const at = await startOf(db, after);
  return { isBefore: sql`${place} < ${placeOf(at, after)}`, latest: at.getTime() + 1 };
}

/** Returns the query for the first rows of a filter. `isWanted` is a further condition. */
export function selectUsage(
  db: Database,
  filter: AttemptFilter,
  { isWanted, first, limit }: { isWanted?: SQL | undefined; first: 'newest' | 'oldest'; limit: number },
) {
  // The few rows of a request are sorted by what no index knows: the planner would rather read the ledger in the order of time.
  const by = filter.request === undefined ? [sql`${usage.at}`, sql`${usage.id}`] : [place];
  return db
    .select(columns)
    .from(usage)
    .where(and(fulfils(filter), isWanted))
    .orderBy(...(first === 'newest' ? by.map(column => desc(column)) : by))
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
  if (!isSearch(filter) || filter.request !== undefined) return yield* pagesOf(db, filter);
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
    const isWanted = last && sql`${place} > ${placeOf(last.at, last.id)}`;
    const limit = exportedAtOnce;
    const rows = await step.read(() => selectUsage(db, filter, { isWanted, first: 'oldest', limit }));
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

function fulfils({ from, to, ...wanted }: AttemptFilter): SQL | undefined {
  return and(isWithin(usage.at, { from, to }), matchesAttempt(wanted));
}
