import type { SeriesGroup, SeriesStep } from '@model-gateway/admin-api';
import { noUsage } from '@model-gateway/canonical';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseKinds, isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { dollars } from './dollars.ts';
import type { UsageFilter } from './filter.ts';
import { keysUntil, rollUpKeys } from './key-hours.ts';
import { addToLedger } from './ledger.ts';
import { type LedgerRow, toRow } from './row.ts';
import { usageOverTime } from './series.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 30, 20);
const outcomes = ['answered', 'answered', 'failed', 'cancelled', 'lost'];

/** Returns attempts in steps of 20 minutes over three days, of five outcomes and seven models. */
const rows: LedgerRow[] = Array.from({ length: 216 }, (_, n) => {
  const outcome = outcomes[n % 5] as string;
  const record = {
    ...{ id: `019c${String(n).padStart(4, '0')}-0000-7000-8000-000000000000`, requestId: `req_${n}` },
    ...{ at: start + n * 20 * 60_000, ms: 100 + n, firstMs: n % 3 ? n : null, stream: n % 2 === 0 },
    ...{ model: `m${n % 7}`, provider: 'p', tokenId: 't', project: n % 2 ? 'lab' : 'shop', outcome },
    ...(n % 3 && { owner: 'ada' }),
    ...(n % 4 === 1 && { final: false }),
    ...{ charged: outcome === 'answered', usage: { ...noUsage, input: n, output: 1 } },
  };
  return { ...toRow(record, 0).row, cost: n % 4 ? (n % 7) / 100 : null };
});

/** Sums the rows as a series has them. */
function expected(from: number, to: number, step: SeriesStep, key: (row: LedgerRow) => string | null) {
  const length = { minute: 16, hour: 13, day: 10, all: 0 }[step];
  const ends = { minute: ':00Z', hour: ':00:00Z', day: 'T00:00:00Z', all: '' };
  const sums = new Map<string, Record<string, number>>();
  for (const row of rows) {
    const at = row.at.getTime();
    if (at < from || at >= to) continue;
    const start = step === 'all' ? null : row.at.toISOString().slice(0, length) + ends[step];
    const name = JSON.stringify([start, key(row)]);
    const sum = sums.get(name) ?? {};
    const add = (field: string, value: number) => {
      sum[field] = dollars((sum[field] ?? 0) + value);
    };
    const { outcome, charged, ms, firstMs, stream, input, cost, final } = row;
    const isFailed = outcome === 'failed' || outcome === 'lost';
    add('attempts', 1);
    add('failedAttempts', isFailed ? 1 : 0);
    add('requests', final ? 1 : 0);
    add('failed', final && isFailed ? 1 : 0);
    add('cancelled', final && outcome === 'cancelled' ? 1 : 0);
    const isAnswered = outcome === 'answered';
    add('timed', isAnswered ? 1 : 0);
    add('ms', isAnswered ? ms : 0);
    const isStream = isAnswered && stream && firstMs !== null;
    add('begun', isStream ? 1 : 0);
    add('firstMs', isStream ? (firstMs ?? 0) : 0);
    add('input', charged ? input : 0);
    add('unpriced', charged && cost === null ? 1 : 0);
    add('unchargedCost', charged ? 0 : (cost ?? 0));
    sums.set(name, sum);
  }
  return sums;
}

for (const kind of databaseKinds)
  describe.skipIf(isMissing(kind))(`usage over time on ${kind}`, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
      // A caller recorded some attempts before their workers did.
      const lost = rows.slice(0, 20).map(row => ({ ...row, byCaller: true, outcome: 'lost', firstMs: null }));
      await addToLedger(database, lost);
      await addToLedger(database, rows);
    });
    afterAll(() => database.remove());

    const check = async (from: number, to: number, step: SeriesStep, by: 'model' | null) => {
      const span = { from: new Date(from), to: new Date(to) };
      const found = await usageOverTime(database.db, span, { by, step, top: 20 });
      const sums = expected(from, to, step, row => (by ? row.model : null));
      const about = `${step} by ${by} from ${span.from.toISOString()} to ${span.to.toISOString()}`;
      expect(found.length, about).toBe(sums.size);
      for (const { start, key, rest, ...counts } of found) {
        expect(rest).toBe(false);
        expect(counts, about).toMatchObject(sums.get(JSON.stringify([start, key])) ?? { attempts: 'none' });
      }
      expect(found.map(({ start }) => start)).toEqual(found.map(({ start }) => start).toSorted());
      return found.length;
    };

    test('adds up to the ledger by each step, whatever parts of hours and days a span has', async () => {
      let found = 0;
      for (const step of ['all', 'day', 'hour', 'minute'] as const)
        for (const by of [null, 'model'] as const)
          for (const [from, to] of [
            [0, 72],
            [4, 28],
            [0.4, 0.9],
            [3.4, 60.7],
          ] as const)
            found += await check(start + from * hourMs, start + to * hourMs, step, by);
      expect(found).toBeGreaterThan(500);
    });

    const of = (more: UsageFilter, by: SeriesGroup | null, top = 20) => ({
      filter: { from: new Date(start + 3.4 * hourMs), to: new Date(start + 60.7 * hourMs), ...more },
      series: { by, step: 'hour' as const, top },
    });
    const queries = [
      ...[
        of({}, null),
        of({}, 'model'),
        of({}, 'model', 2),
        of({}, 'project'),
        of({}, 'owner'),
        of({}, 'provider'),
      ],
      ...[
        of({ project: 'lab' }, null),
        of({ project: ['lab', 'shop'] }, 'project'),
        of({ model: 'm3' }, 'model'),
      ],
      ...[of({ project: 'lab' }, 'model'), of({ owner: 'ada' }, null), of({ token: 't' }, 'project')],
    ];
    const read = async () => {
      const found = await Promise.all(
        queries.map(({ filter, series }) => usageOverTime(database.db, filter, series)),
      );
      // Doubles are added in another order.
      return found.map(rows => rows.map(row => ({ ...row, cost: row.cost.toFixed(6) })));
    };
    const setUntil = async (until: string) => {
      await database.db.execute(sql`delete from usage_key_hours where start >= ${until}::timestamptz`);
      await database.db.execute(sql`update usage_key_hours_until set until = ${until}::timestamptz`);
    };

    test('adds up to the ledger by hours of one column, however far their own roll-ups go', async () => {
      // Those of attempts that come late, as all of this test do.
      const late = await read();
      expect(late.map(rows => rows.length)).not.toContain(0);
      await setUntil('-infinity');
      expect(await read()).toEqual(late);
      await rollUpKeys(database.db);
      expect(await keysUntil(database.db)).toBeInstanceOf(Date);
      expect(await read()).toEqual(late);
      await rollUpKeys(database.db);
      expect(await read()).toEqual(late);
      await setUntil(new Date(Math.floor((start + 30 * hourMs) / hourMs) * hourMs).toISOString());
      expect(await read()).toEqual(late);
      await Promise.all([rollUpKeys(database.db), rollUpKeys(database.db)]);
      expect(await read()).toEqual(late);
    });

    test('the keys beyond the first ones by cost are joined', async () => {
      const found = await usageOverTime(database.db, {}, { by: 'model', step: 'all', top: 2 });
      expect(found.map(({ key, rest }) => [key, rest])).toEqual([
        ...[
          ['m6', false],
          ['m5', false],
          [null, true],
        ],
      ]);
      expect(found.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(rows.length);
      const lab = await usageOverTime(database.db, { project: 'lab' }, { by: null, step: 'all', top: 1 });
      expect(lab).toMatchObject([{ start: null, key: null, rest: false, attempts: rows.length / 2 }]);
    });

    test('an hour is rolled up by columns once it is over for two hours', async () => {
      const now = new Date();
      const record = { id: '019c9999-0000-7000-8000-000000000000', at: now.getTime(), project: 'now' };
      await addToLedger(database, [toRow({ ...record, ms: 1, charged: true, usage: null }, 0).row]);
      await rollUpKeys(database.db);
      const sums = () =>
        usageOverTime(
          database.db,
          { from: new Date(now.getTime() - hourMs), project: 'now' },
          { by: 'project', step: 'hour', top: 1 },
        );
      expect(await sums()).toMatchObject([{ key: 'now', attempts: 1 }]);
      expect((await keysUntil(database.db))?.getTime()).toBeLessThanOrEqual(now.getTime());
      // As if it were over.
      await database.db.execute(
        sql`select usage_sum_keys(date_trunc('hour', ${now.toISOString()}::timestamptz, 'UTC'))`,
      );
      await database.db.execute(sql`update usage_key_hours_until set until = now() + interval '1 hour'`);
      expect(await sums()).toMatchObject([{ key: 'now', attempts: 1 }]);
      await addToLedger(database, [
        toRow({ ...record, id: record.id.replace('9999', '9998'), ms: 1, charged: true, usage: null }, 0).row,
      ]);
      expect(await sums()).toMatchObject([{ key: 'now', attempts: 2 }]);
    });
  });
