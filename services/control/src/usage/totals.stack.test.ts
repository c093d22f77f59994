import { type UsageGroup, usageGroups } from '@model-gateway/admin-api';
import { noUsage } from '@model-gateway/canonical';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenDatabase } from '../database/database.ts';
import { databaseKinds, isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import type { UsageFilter } from './filter.ts';
import { addToLedger } from './ledger.ts';
import { eachUsage } from './read.ts';
import { type LedgerRow, toRow } from './row.ts';
import { totalUsage } from './totals.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 30, 20);
const spanMs = 60 * hourMs;

/** Returns numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const random = randomFrom(7);
const oneOf = <Value>(...values: Value[]) => values[Math.floor(random() * values.length)] as Value;
const upTo = (most: number) => Math.floor(random() * most);

/** Makes an attempt; its token has other tags and another owner after half of the time. */
function attempt(n: number, more: object = {}): LedgerRow {
  const at = start + upTo(spanMs);
  const later = at > start + spanMs / 2;
  const counts = { input: upTo(1_000), cachedInput: upTo(10), output: upTo(500), audioOutput: upTo(2) };
  const record = {
    id: `019c${String(n).padStart(4, '0')}-0000-7000-8000-000000000000`,
    requestId: `req_${n}`,
    at,
    ms: 5,
    model: oneOf('fast', 'slow'),
    provider: oneOf('p', 'q'),
    tokenId: oneOf('t1', 't2', 't3'),
    project: oneOf('lab', 'shop'),
    ...(later && { owner: oneOf('ada', 'bob'), tags: { team: oneOf('search', 'ads'), env: 'prod' } }),
    outcome: oneOf('answered', 'cancelled', 'failed'),
    charged: random() > 0.2,
    final: random() > 0.3,
    usage: random() > 0.1 ? { ...noUsage, ...counts, units: { seconds: random() } } : null,
    ...more,
  };
  const { row } = toRow(record, 0);
  return { ...row, cost: row.known && random() > 0.1 ? random() / 1_000 : null };
}

type Total = Awaited<ReturnType<typeof totalUsage>>[number];
const summed = ['input', 'cachedInput', 'output', 'audioOutput', 'seconds', 'cost'] as const;

/** Sums the rows of the ledger in this process. */
async function sumsOfRows({ db }: OpenDatabase, filter: UsageFilter, by: UsageGroup) {
  const sums = new Map<string | null, Partial<Total>>();
  for await (const rows of eachUsage(db, filter))
    for (const row of rows) {
      const keys = { ...row, token: row.tokenId, day: row.at.toISOString().slice(0, 10) };
      const key = by === 'tag:team' ? (row.tags?.team ?? null) : keys[by as (typeof usageGroups)[number]];
      const sum: Partial<Total> = { ...sums.get(key) };
      sums.set(key, sum);
      sum.attempts = (sum.attempts ?? 0) + 1;
      sum.requests = (sum.requests ?? 0) + Number(row.final);
      sum.failed = (sum.failed ?? 0) + Number(row.final && ['failed', 'lost'].includes(row.outcome));
      if (!row.charged) {
        if (row.cost) sum.unchargedCost = (sum.unchargedCost ?? 0) + row.cost;
        continue;
      }
      sum.unpriced = (sum.unpriced ?? 0) + (row.cost === null ? 1 : 0);
      for (const name of summed) sum[name] = (sum[name] ?? 0) + (row[name] ?? 0);
    }
  return sums;
}

async function expectEqual(database: OpenDatabase, filter: UsageFilter, by: UsageGroup): Promise<number> {
  const rows = await sumsOfRows(database, filter, by);
  const totals = await totalUsage(database.db, filter, by);
  const about = JSON.stringify({ filter, by });
  expect(totals.map(({ key }) => key).toSorted(), about).toEqual([...rows.keys()].toSorted());
  for (const { key, ...total } of totals)
    for (const [name, sum] of Object.entries(rows.get(key) ?? {}))
      expect(total[name as keyof typeof total], `${name} of ${about}`).toBeCloseTo(sum as number, 9);
  for (const { cost } of totals) expect(cost, 'a rounded sum').toBe(Number(cost.toPrecision(12)));
  return totals.length;
}

for (const kind of databaseKinds)
  describe.skipIf(isMissing(kind))(`totals on ${kind}`, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
      for (let batch = 0; batch < 8; batch++) {
        const rows = Array.from({ length: 50 }, (_, n) => attempt(batch * 50 + n));
        // Callers recorded some of these attempts in place of their workers, before them, with them or after them.
        const lost = Array.from({ length: 10 }, () =>
          attempt(upTo(450), { byCaller: true, outcome: 'lost', usage: null }),
        );
        await addToLedger(database, rows);
        await addToLedger(database, [...lost, ...rows.slice(0, 5)]);
      }
    });
    afterAll(() => database.remove());

    test('roll-ups add up to the ledger by each grouping', async () => {
      for (const by of [...usageGroups, 'tag:team'] as UsageGroup[])
        expect(await expectEqual(database, {}, by)).toBeGreaterThan(1);
    });

    test('a span of any length has the sums of its rows, with any filter', async () => {
      let found = 0;
      for (let n = 0; n < 60; n++) {
        const ends = [upTo(spanMs), oneOf(0, 4, 7, 28) * hourMs, upTo(spanMs)].map(
          ms => new Date(start + ms),
        );
        const [from, to] = ends.slice(upTo(2)).toSorted((a, b) => a.getTime() - b.getTime());
        const filter: UsageFilter = {
          ...oneOf({ from }, { to }, { from, to }, { from, to }),
          ...oneOf({}, { token: 't1' }, { project: 'lab', model: 'fast' }, { owner: ['ada', 'bob'] }),
          ...oneOf({}, { tags: [['team', 'search'] as const] }, { provider: 'p' }),
        };
        found += await expectEqual(database, filter, oneOf<UsageGroup>(...usageGroups, 'tag:team'));
      }
      expect(found).toBeGreaterThan(60);
    });
  });
