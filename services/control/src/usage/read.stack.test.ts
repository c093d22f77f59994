import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { attemptId as id, usageRecord } from '../testing/usage-record.ts';
import { addToLedger } from './ledger.ts';
import { eachUsage, listUsage } from './read.ts';
import { toRow } from './row.ts';

/** The attempts of the project that is searched for, of 100 on as many days. */
const found = [3, 40, 41, 100];

/** A search that ends early would not find all of them on a busy machine. */
const unhurriedMs = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase('PGlite');
  const rows = Array.from({ length: 100 }, (_, i) => {
    const n = i + 1;
    return toRow(usageRecord(n, { project: found.includes(n) ? 'rare' : 'common' }), 0).row;
  });
  await addToLedger(database, rows);
});
afterAll(() => database.remove());

test('a list that takes long ends with what it has found, and the next page goes on', async () => {
  const pages: string[][] = [];
  const filter = {
    project: 'rare',
    from: new Date(Date.UTC(2026, 0, 39)),
    to: new Date(Date.UTC(2026, 0, 43)),
  };
  let after: string | undefined;
  do {
    const page = await listUsage(database.db, filter, { limit: 1, after, ms: 0 });
    pages.push(page.rows.map(row => row.id));
    after = page.next ?? undefined;
  } while (after);
  expect(pages.flat()).toEqual([id(41), id(40)]);
  expect(pages.length).toBeGreaterThan(50);
});

test('a list with a filter finds what it names at any time', async () => {
  const list = (project: string, limit: number, more = {}) =>
    listUsage(database.db, { project, ...more }, { limit, ms: unhurriedMs });
  expect(await list('rare', 2)).toMatchObject({ rows: [{ id: id(100) }, { id: id(41) }], next: id(41) });
  expect((await list('rare', 10)).rows.map(row => row.id)).toEqual(found.map(id).toReversed());
  expect((await list('rare', 10)).next).toBeNull();
  expect(await list('none', 10)).toEqual({ rows: [], next: null });
  const span = { from: new Date(Date.UTC(2026, 0, 40)), to: new Date(Date.UTC(2026, 0, 41)) };
  expect((await list('rare', 10, span)).rows.map(row => row.id)).toEqual([id(40)]);
});

test('an export with a filter reads a day at most at once', async () => {
  const pages: string[][] = [];
  for await (const rows of eachUsage(database.db, { project: 'rare' })) pages.push(rows.map(row => row.id));
  expect(pages.flat()).toEqual(found.map(id));
  expect(pages.length).toBeGreaterThanOrEqual(99);
});
