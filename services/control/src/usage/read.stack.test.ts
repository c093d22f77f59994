import { sql, TransactionRollbackError } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { attemptId as id, usageRecord } from '../testing/usage-record.ts';
import type { AttemptFilter } from './filter.ts';
import { addToLedger } from './ledger.ts';
import { eachUsage, listUsage, type UsagePageOptions } from './read.ts';
import { toRow } from './row.ts';

/** The attempts of the project that is searched for, of 100 on as many days. An administrator ended them, which no roll-up knows. */
const found = [3, 40, 41, 100];

/** A search that ends early would not find all of them on a busy machine. */
const unhurriedMs = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase('PGlite');
  const rows = Array.from({ length: 100 }, (_, i) => {
    const n = i + 1;
    const more = found.includes(n) ? { project: 'rare', endedBy: 'ada' } : { project: 'common' };
    return toRow(usageRecord(n, more), 0).row;
  });
  await addToLedger(database, rows);
});
afterAll(() => database.remove());

/** Reads pages until the last one, or as many. */
async function pagesOf(filter: AttemptFilter, options: Omit<UsagePageOptions, 'after'>, most = Infinity) {
  const pages: Awaited<ReturnType<typeof listUsage>>[] = [];
  let after: UsagePageOptions['after'];
  do {
    const page = await listUsage(database.db, filter, { ...options, after });
    pages.push(page);
    after = page.next ?? undefined;
  } while (after !== undefined && pages.length < most);
  return pages;
}

const idsOf = ({ rows }: { rows: { id: string }[] }) => rows.map(row => row.id);

test('a list that takes long ends with what it has found and says how far it came, and the next page goes on', async () => {
  const span = { from: new Date(Date.UTC(2026, 0, 39)), to: new Date(Date.UTC(2026, 0, 43)) };
  const pages = await pagesOf({ endedBy: 'ada', ...span }, { limit: 1, ms: 0, longestMs: 0 });
  expect(pages.flatMap(idsOf)).toEqual([id(41), id(40)]);
  const early = pages.filter(({ rows, next }) => rows.length === 0 && next !== null);
  expect(early.length).toBeGreaterThan(0);
  for (const { searchedTo } of early) expect(searchedTo?.getTime()).toBeLessThan(span.to.getTime());
  expect(pages.at(-1)?.searchedTo).toBeNull();
});

test('a list that has found nothing goes on for longer, so that no page is empty while there is more', async () => {
  const pages = await pagesOf({ endedBy: 'ada' }, { limit: 2, ms: 0, longestMs: unhurriedMs });
  expect(pages.flatMap(idsOf)).toEqual(found.map(id).toReversed());
  for (const { rows, next } of pages) expect(rows.length > 0 || next === null).toBe(true);
});

test('a list reads the hours alone that have what it searches by roll-ups, and all those without them', async () => {
  const options = { limit: 10, ms: 0, longestMs: 0 };
  for (const filter of [{ project: 'rare' }, { project: 'rare', outcome: 'answered', model: 'fast' }])
    expect((await pagesOf(filter, options, found.length)).map(idsOf)).toEqual(
      found.toReversed().map(n => [id(n)]),
    );
  // Nothing is read of the days between, and little of the oldest day.
  expect((await pagesOf({ project: 'none' }, options)).length).toBeLessThan(30);
  await database.db
    .transaction(async tx => {
      for (const table of ['usage_days', 'usage_hours'])
        await tx.execute(sql.raw(`delete from ${table} where start < '2026-02-05'`));
      const page = await listUsage(tx, { project: 'rare' }, { limit: 10, ms: unhurriedMs });
      expect(idsOf(page)).toEqual(found.map(id).toReversed());
      await tx.execute(sql.raw('delete from usage_days'));
      expect(idsOf(await listUsage(tx, { project: 'rare' }, { limit: 10, ms: unhurriedMs }))).toHaveLength(4);
      tx.rollback();
    })
    .catch(ignoreRollback);
});

function ignoreRollback(error: unknown): void {
  if (!(error instanceof TransactionRollbackError)) throw error;
}

test('a list with a filter finds what it names at any time', async () => {
  const list = (project: string, limit: number, more = {}) =>
    listUsage(database.db, { project, ...more }, { limit, ms: unhurriedMs });
  expect(await list('rare', 2)).toMatchObject({ rows: [{ id: id(100) }, { id: id(41) }], next: id(41) });
  expect((await list('rare', 10)).rows.map(row => row.id)).toEqual(found.map(id).toReversed());
  expect((await list('rare', 10)).next).toBeNull();
  expect(await list('none', 10)).toEqual({ rows: [], next: null, searchedTo: null });
  const span = { from: new Date(Date.UTC(2026, 0, 40)), to: new Date(Date.UTC(2026, 0, 41)) };
  expect((await list('rare', 10, span)).rows.map(row => row.id)).toEqual([id(40)]);
});

test('an export with a filter reads a day at most at once', async () => {
  const pages: string[][] = [];
  for await (const rows of eachUsage(database.db, { project: 'rare' })) pages.push(rows.map(row => row.id));
  expect(pages.flat()).toEqual(found.map(id));
  expect(pages.length).toBeGreaterThanOrEqual(99);
});
