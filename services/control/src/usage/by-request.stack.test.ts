import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseKinds, isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { attemptId, usageRecord } from '../testing/usage-record.ts';
import { addToLedger } from './ledger.ts';
import { eachUsage, listUsage, selectUsage } from './read.ts';
import { retain } from './retention.ts';
import { toRow } from './row.ts';

/** Ids with a time, of chance, of background responses and of no form. */
const requests = [
  'req_019ad2b0c1d2e3f405162738',
  'req_4f3c2b1a09f8e7d6c5b4a392',
  'req_68d1a1b2c3d4e5f60718293a',
  'none of these',
];

const dayMs = 86_400_000;

for (const kind of databaseKinds)
  describe.skipIf(isMissing(kind))(`the index by request on ${kind}`, () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await openTestDatabase(kind);
    });
    afterEach(() => database.remove());

    /** Adds two attempts of each request, months apart, the second one first. */
    async function fill(): Promise<void> {
      const rows = requests.flatMap((requestId, n) => [
        toRow(usageRecord(n, { requestId, id: attemptId(50 + n), at: Date.UTC(2026, 3, 1 + n) }), 0).row,
        toRow(usageRecord(n, { requestId, id: attemptId(n), at: Date.UTC(2026, 0, 1 + n) }), 0).row,
      ]);
      await addToLedger(database, rows);
    }

    const list = (request: string, more = {}) =>
      listUsage(database.db, { request, ...more }, { limit: 10, ms: 60_000, longestMs: 60_000 });

    async function expectAllFound(): Promise<void> {
      for (const [n, request] of requests.entries()) {
        const { rows, next } = await list(request);
        expect(rows.map(({ id }) => id)).toEqual([attemptId(50 + n), attemptId(n)]);
        expect(next).toBeNull();
      }
      expect(await list('req_000000000000000000000000')).toMatchObject({ rows: [], next: null });
    }

    /** Returns the lines of the plan that read the ledger. */
    async function readsOf(filter: { request: string }): Promise<string[]> {
      return database.db.transaction(async tx => {
        // The partitions of a test are so small that the planner would rather read them.
        await tx.execute(sql`set local enable_seqscan = off`);
        const query = selectUsage(tx, filter, { first: 'newest', limit: 100 });
        const result = await tx.execute<{ 'QUERY PLAN': string }>(sql`explain ${query.getSQL()}`);
        const { rows } = result as unknown as { rows: { 'QUERY PLAN': string }[] };
        return rows.map(row => row['QUERY PLAN']).filter(line => /Scan/.test(line));
      });
    }

    test('a request is found by ids of any form, in pages, and no partition is read whole', async () => {
      await fill();
      await retain({ db: database.db, attemptsMs: 36_500 * dayMs, rollupsMs: 36_500 * dayMs });
      await expectAllFound();
      const [request] = requests as [string];
      const reads = await readsOf({ request });
      expect(reads.length).toBeGreaterThanOrEqual(3);
      for (const line of reads) expect(line).toMatch(/request/);
      const first = await listUsage(database.db, { request }, { limit: 1 });
      const second = await listUsage(database.db, { request }, { limit: 1, after: first.next as string });
      expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual([attemptId(50), attemptId(0)]);
      const exported: string[] = [];
      for await (const rows of eachUsage(database.db, { request }))
        exported.push(...rows.map(({ id }) => id));
      expect(exported).toEqual([attemptId(0), attemptId(50)]);
      const span = { from: new Date(Date.UTC(2026, 2)), to: new Date(Date.UTC(2026, 5)) };
      expect((await list(request, span)).rows.map(({ id }) => id)).toEqual([attemptId(50)]);
      expect((await list(request, { project: 'other' })).rows).toEqual([]);
    });
  });
