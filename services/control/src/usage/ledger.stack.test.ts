import { noUsage } from '@model-gateway/canonical';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { usage } from '../database/tables.ts';
import { openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { usageRecord } from '../testing/usage-record.ts';
import { addToLedger } from './ledger.ts';
import { toRow } from './row.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase('PGlite');
});
afterAll(() => database.remove());
beforeEach(async () => {
  await database.db.delete(usage);
});

const now = Date.UTC(2026, 0, 1);

const row = (n: number, more: object = {}) =>
  toRow(usageRecord(n, { at: now, usage: null, ...more }), now).row;

test('copied rows keep every character of their texts and of the raw usage', async () => {
  const text = '\\N \\. \\t\t"\r\n\u{1f600}\u007f';
  const raw = { [text]: [text, 1e21, null, { deep: '\\u0000' }] };
  const insert = vi.spyOn(database.db, 'insert');
  await addToLedger(database, [
    row(1, { model: text, fallback: '\\N', usage: { ...noUsage, input: 3, raw } }),
    row(2, { model: '' }),
  ]);
  expect(insert).not.toHaveBeenCalled();
  insert.mockRestore();
  const [first, second] = await database.db.select().from(usage).orderBy(usage.id);
  expect(first).toMatchObject({
    model: text,
    fallback: '\\N',
    firstMs: null,
    input: 3,
    raw,
    at: new Date(now),
  });
  expect(second).toMatchObject({ model: '', fallback: null, raw: null, charged: true, known: false });
});

test('a copied row is what an inserted one is, at the ends of each type too', async () => {
  const most = Number.MAX_SAFE_INTEGER;
  const units = { images: most, seconds: 0.1, characters: 1, searches: 2 };
  const wide = {
    at: 253_402_300_799_999,
    ms: 1e12,
    firstMs: 0,
    tags: { team: 'é' },
    stream: true,
    error: 'timeout',
  };
  const used = { ...noUsage, input: most, reasoning: 2 ** 32, units, raw: [0.1] };
  for (const [i, more] of [
    { ...wide, usage: used },
    { at: 0, owner: 'ann', finishReason: 'stop' },
  ].entries()) {
    await addToLedger({ db: database.db }, [{ ...row(2 * i, more), cost: 1e-9 }]);
    const insert = vi.spyOn(database.db, 'insert');
    await addToLedger(database, [{ ...row(2 * i + 1, { requestId: `req_${2 * i}`, ...more }), cost: 1e-9 }]);
    expect(insert).not.toHaveBeenCalled();
    insert.mockRestore();
  }
  const rows = await database.db.select().from(usage).orderBy(usage.id);
  for (const i of [0, 2]) expect(rows[i + 1]).toEqual({ ...rows[i], id: rows[i + 1]?.id });
  expect(rows[0]).toMatchObject({
    input: most,
    reasoning: 2 ** 32,
    seconds: 0.1,
    tags: { team: 'é' },
    cost: 1e-9,
  });
});

test.each([true, false])(
  "each attempt is added once: a worker's record replaces that of its caller, whichever comes first; it is charged if the caller's is too: %s",
  async charged => {
    const lost = { byCaller: true, outcome: 'lost', charged };
    await addToLedger(database, [row(1, lost), row(2)]);
    await addToLedger(database, [row(3), row(1), row(2, lost), row(4, lost)]);
    await addToLedger(database, [row(5), row(5, lost), row(6, lost), row(6), row(2)]);
    const rows = await database.db.select().from(usage).orderBy(usage.id);
    expect(
      rows.map(({ requestId, outcome, byCaller, charged }) => [requestId, outcome, byCaller, charged]),
    ).toEqual([
      ['req_1', 'answered', false, charged],
      ['req_2', 'answered', false, charged],
      ['req_3', 'answered', false, true],
      ['req_4', 'lost', true, charged],
      ['req_5', 'answered', false, charged],
      ['req_6', 'answered', false, charged],
    ]);
  },
);

test('a request did not end with an attempt that its caller saw another one follow, whichever record comes first', async () => {
  const failed = { outcome: 'failed', error: 'upstream', upstreamStatus: 503, upstreamMessage: 'Overloaded' };
  const followed = { byCaller: true, outcome: 'failed', charged: false, final: false };
  await addToLedger(database, [row(1, followed), row(2, failed)]);
  await addToLedger(database, [row(1, failed), row(2, followed)]);
  await addToLedger(database, [
    row(3, failed),
    row(3, followed),
    row(4, followed),
    row(4, failed),
    row(5, failed),
  ]);
  const rows = await database.db.select().from(usage).orderBy(usage.id);
  expect(rows.map(({ final }) => final)).toEqual([false, false, false, false, true]);
  for (const row of rows) expect(row).toMatchObject({ ...failed, byCaller: false });
});
