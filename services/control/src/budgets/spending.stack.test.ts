import { noUsage } from '@model-gateway/canonical';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseKinds, isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { attemptId, usageRecord } from '../testing/usage-record.ts';
import { addToLedger } from '../usage/ledger.ts';
import { toRow } from '../usage/row.ts';
import { spendingOf } from './spending.ts';

const start = Date.UTC(2026, 10, 25);

for (const kind of databaseKinds)
  describe.skipIf(isMissing(kind))(`the spending in the ledger on ${kind}`, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
    });
    afterAll(() => database.remove());

    function row(n: number, { cost, ...more }: { cost: number | null; [field: string]: unknown }) {
      const names = { tokenId: 'one', project: 'lab' };
      const record = usageRecord(n, { at: start + n, ...names, usage: noUsage, ...more });
      return { ...toRow(record, start).row, cost, priceVersion: 'test' };
    }

    test('is the sum of the charged attempts of each owner since a time', async () => {
      await addToLedger(database, [
        row(1, { cost: 1, at: start - 1 }),
        row(2, { cost: 2 }),
        row(3, { cost: 4, charged: false }),
        row(4, { cost: null }),
        row(5, { cost: 8, tokenId: 'two', owner: 'ada' }),
        row(6, { cost: 16, tokenId: 'two', owner: 'ada', project: 'other' }),
      ]);
      const { spent, recorded } = await spendingOf(
        database.db,
        [
          { owner: ['token', 'one'], from: 0 },
          { owner: ['token', 'one'], from: start },
          { owner: ['project', 'lab'], from: 0 },
          { owner: ['user', 'ada'], from: 0 },
          { owner: ['project', 'other'], from: start },
          { owner: ['user', 'ada'], from: start },
          { owner: ['user', 'nobody'], from: 0 },
        ],
        [attemptId(1), attemptId(3), attemptId(7)],
      );
      expect(spent).toEqual([3, 2, 11, 24, 16, 24, 0]);
      expect(recorded.toSorted()).toEqual([attemptId(1), attemptId(3)]);
    });

    test('is empty without a question', async () => {
      expect(await spendingOf(database.db, [])).toEqual({ spent: [], recorded: [] });
    });
  });
