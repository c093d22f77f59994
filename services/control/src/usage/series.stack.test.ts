import type { SeriesStep } from '@model-gateway/admin-api';
import { noUsage } from '@model-gateway/canonical';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseKinds, isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { dollars } from './dollars.ts';
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
    const { outcome, charged, ms, firstMs, stream, input, cost } = row;
    add('attempts', 1);
    add('requests', charged ? 1 : 0);
    add('failed', outcome === 'failed' || outcome === 'lost' ? 1 : 0);
    add('cancelled', outcome === 'cancelled' ? 1 : 0);
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
  });
