import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { locks } from '../database/database.ts';
import { budgetNotices } from '../database/tables.ts';
import { databaseKinds, isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { addToLedger } from './ledger.ts';
import { listUsage } from './read.ts';
import { retain } from './retention.ts';
import { toRow } from './row.ts';
import { totalUsage } from './totals.ts';

const dayMs = 86_400_000;
const forever = { attemptsMs: 36_500 * dayMs, rollupsMs: 36_500 * dayMs };

for (const kind of databaseKinds)
  describe.skipIf(isMissing(kind))(`retention on ${kind}`, () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await openTestDatabase(kind);
    });
    afterEach(() => database.remove());

    /** Adds an attempt of some months after this one, under a UUIDv7 of that time unless an id is given. */
    async function add(months: number, id?: string): Promise<string> {
      const at = new Date();
      at.setUTCMonth(at.getUTCMonth() + months, 15);
      const hex = at.getTime().toString(16).padStart(12, '0');
      const own = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
      const record = { id: id ?? own, at: at.getTime(), ms: 1, charged: true, usage: null };
      const { row } = toRow(record, 0);
      await addToLedger(database, [row]);
      return row.id;
    }

    async function partitionOf(id: string): Promise<string | undefined> {
      const found = await database.db
        .select({ name: sql<string>`tableoid::regclass::text` })
        .from(sql`usage`)
        .where(sql`id = ${id}`);
      return found[0]?.name;
    }

    const monthName = (months: number) => {
      const start = new Date();
      start.setUTCMonth(start.getUTCMonth() + months, 1);
      return `usage_${start.toISOString().slice(0, 7).replace('-', '_')}`;
    };
    const ids = async () => (await listUsage(database.db, {}, { limit: 100 })).rows.map(({ id }) => id);
    const requests = async () => (await totalUsage(database.db, {}, 'project'))[0]?.requests;

    test('attempts that came before their partition was made move into it, and are there once', async () => {
      const old = await add(-3);
      const next = await add(1);
      expect(await partitionOf(next)).toBe('usage_rest');
      await retain({ db: database.db, ...forever });
      await retain({ db: database.db, ...forever });
      const later = await add(2);
      const odd = await add(0, 'ffffffff-0000-8000-8000-000000000000');
      const places = [old, next, later, odd].map(partitionOf);
      expect(await Promise.all(places)).toEqual(['usage_first', monthName(1), monthName(2), 'usage_rest']);
      await addToLedger(database, [
        toRow({ id: next, at: Date.now(), ms: 1, charged: true, byCaller: true }, 0).row,
      ]);
      expect(await ids()).toEqual([later, next, odd, old]);
      expect(await requests()).toBe(4);
    });

    test('attempts are removed by their retention, and roll-ups by theirs', async () => {
      const old = await add(-14);
      const odd = await add(-14, 'ffffffff-0000-8000-8000-000000000000');
      const kept = [await add(-2), await add(0)].reverse();
      await retain({ db: database.db, attemptsMs: 400 * dayMs, rollupsMs: 400 * dayMs });
      // The first partition is kept until its last attempt is too old.
      expect(await ids()).toEqual([...kept, old]);
      expect(await partitionOf(odd)).toBeUndefined();
      expect(await requests()).toBe(2);
    });

    test('notices about budgets are removed long after their period, those of total budgets never', async () => {
      const { db } = database;
      const notice = (name: string, period: string, periodStart: number) => ({
        ...{ kind: 'project', name, period, periodStart: new Date(periodStart) },
        ...{ amount: 1, threshold: 50, body: '{}' },
      });
      await db
        .insert(budgetNotices)
        .values([
          notice('old', 'month', Date.now() - 70 * dayMs),
          notice('new', 'month', Date.now() - 30 * dayMs),
          notice('total', 'total', 0),
        ]);
      await retain({ db, ...forever });
      const kept = await db.select({ name: budgetNotices.name }).from(budgetNotices);
      expect(kept.map(({ name }) => name).sort()).toEqual(['new', 'total']);
    });

    test('a partition is dropped once all of its attempts are too old, and its roll-ups stay', async () => {
      await retain({ db: database.db, ...forever });
      await add(0);
      const next = await add(1);
      const now = new Date();
      const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
      // As if this month were over.
      await retain({
        db: database.db,
        attemptsMs: now.getTime() - end - 60_000,
        rollupsMs: forever.rollupsMs,
      });
      expect(await ids()).toEqual([next]);
      expect(await requests()).toBe(2);
      const again = await add(0);
      expect(await partitionOf(again)).toBe('usage_rest');
      expect(await requests()).toBe(3);
    });

    test.skipIf(kind === 'PGlite')('one control at a time keeps the retention', async () => {
      const other = await database.openAgain();
      await other.db.transaction(async tx => {
        await tx.execute(sql`select pg_advisory_xact_lock(${locks.retention})`);
        await retain({ db: database.db, ...forever });
        expect(await partitionOf(await add(1))).toBe('usage_rest');
      });
      await retain({ db: database.db, ...forever });
      expect(await partitionOf((await ids())[0] as string)).toBe(monthName(1));
      await other.close();
    });
  });
