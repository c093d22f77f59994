import type { RefusedCount, RefusedRequest } from '@model-gateway/canonical';
import { count } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refusedCounts, usageRejected } from '../database/tables.ts';
import { databaseKinds, isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { dropOldRejected, keepRejected, mostRejected } from '../usage/rejected.ts';
import { retain } from '../usage/retention.ts';
import { keepRefused } from './keep.ts';
import { countRefused, listRefused } from './read.ts';
import { toRefusedRow } from './row.ts';

const dayMs = 86_400_000;
const forever = { attemptsMs: 36_500 * dayMs, rollupsMs: 36_500 * dayMs };
const minuteMs = 60_000;
/** The start of an hour some days ago. */
const hourOf = (days: number) => Math.floor((Date.now() - days * dayMs) / 3_600_000) * 3_600_000;

const refusal = {
  tokenId: 't',
  project: 'lab',
  owner: 'ada',
  model: 'm',
  status: 429,
  reason: 'rate-limited',
} as const;

for (const kind of databaseKinds)
  describe.skipIf(isMissing(kind))(`refused requests on ${kind}`, () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await openTestDatabase(kind);
    });
    afterEach(() => database.remove());

    const keep = (...records: (Partial<RefusedCount> | Partial<RefusedRequest>)[]) =>
      keepRefused(
        database.db,
        records.map(record => toRefusedRow({ ...refusal, ...record }, Date.now())),
      );
    const counted = (start: number, count: number, more: Partial<RefusedCount> = {}) =>
      ({ refused: 'count', process: 'p', start, count, ...more }) as const;
    const request = (n: number, more: Partial<RefusedRequest> = {}): Partial<RefusedRequest> => ({
      refused: 'request',
      ...{ recordId: `019a0000-0000-7000-8000-00000000000${n}`, requestId: `req_${n}` },
      ...{ at: Date.UTC(2026, 0, 1, n), endpoint: '/v1/messages', ...more },
    });
    const totals = async (filter = {}) =>
      (await countRefused(database.db, filter)).map(({ tokenId, reason, refused }) => [
        tokenId,
        reason,
        refused,
      ]);
    const rows = async () => (await database.db.select({ count: count() }).from(refusedCounts))[0]?.count;

    test('a count that comes again, or late, is that of the larger record', async () => {
      const start = hourOf(0);
      await keep(counted(start, 3), counted(start, 5), counted(start, 4));
      await keep(counted(start, 5));
      await keep(counted(start, 2));
      expect(await totals()).toEqual([['t', 'rate-limited', 5]]);
    });

    test('counts of processes, minutes and models add up by token and reason, the largest first', async () => {
      const start = hourOf(0);
      await keep(
        ...[counted(start, 1), counted(start, 2, { process: 'q' }), counted(start + minuteMs, 4)],
        ...[counted(start, 8, { model: 'n' }), counted(start, 9, { tokenId: 'other' })],
        counted(start, 100, { tokenId: '', project: '', model: '', status: 401, reason: 'unauthenticated' }),
      );
      expect(await totals()).toEqual([
        ['', 'unauthenticated', 100],
        ['t', 'rate-limited', 15],
        ['other', 'rate-limited', 9],
      ]);
      expect(await totals({ project: ['lab'], model: 'm' })).toEqual([
        ['other', 'rate-limited', 9],
        ['t', 'rate-limited', 7],
      ]);
      expect(await totals({ from: new Date(start + minuteMs) })).toEqual([['t', 'rate-limited', 4]]);
    });

    test('minutes that are over for long become hours with the same sums', async () => {
      const hour = hourOf(3);
      const recent = hourOf(0);
      for (let minute = 0; minute < 60; minute++)
        await keep(
          counted(hour + minute * minuteMs, 2),
          counted(hour + minute * minuteMs, 3, { process: 'q' }),
        );
      await keep(counted(recent, 7));
      await retain({ db: database.db, ...forever });
      await retain({ db: database.db, ...forever });
      expect(await rows()).toBe(2);
      expect(await totals()).toEqual([['t', 'rate-limited', 307]]);
      expect(await totals({ to: new Date(recent) })).toEqual([['t', 'rate-limited', 300]]);
      await keep(counted(hour + 5 * minuteMs, 1, { process: 'r' }));
      await retain({ db: database.db, ...forever });
      expect(await totals({ to: new Date(recent) })).toEqual([['t', 'rate-limited', 301]]);
      await retain({ db: database.db, ...forever, attemptsMs: dayMs });
      expect(await totals()).toEqual([['t', 'rate-limited', 7]]);
    });

    test('single requests are listed newest first, once each, and removed after a week', async () => {
      await keep(
        request(1, { at: Date.now() }),
        request(2, { at: Date.now(), reason: 'forbidden', status: 403 }),
      );
      await keep(request(1, { at: Date.now() }), request(3, { at: Date.now() - 8 * dayMs }));
      const ids = async (filter = {}) =>
        (await listRefused(database.db, filter, { limit: 10 })).map(({ requestId }) => requestId);
      expect(await ids()).toEqual(['req_3', 'req_2', 'req_1']);
      expect(await ids({ reason: 'forbidden' })).toEqual(['req_2']);
      expect(await ids({ request: 'req_1', token: 't', project: 'lab', owner: 'ada', model: 'm' })).toEqual([
        'req_1',
      ]);
      expect(await ids({ token: 'other' })).toEqual([]);
      await retain({ db: database.db, ...forever });
      expect(await ids()).toEqual(['req_2', 'req_1']);
    });

    test('odd values of a record are made to fit', async () => {
      const odd = { at: 'x', model: 'a\0b', status: 1e9, code: 'y'.repeat(9_999), recordId: 'none' };
      await keep(request(1, odd as object));
      const [row] = await listRefused(database.db, {}, { limit: 1 });
      expect(row).toMatchObject({ model: 'a\ufffdb', status: 999 });
      expect(row?.code?.length).toBeLessThan(600);
      expect(() => toRefusedRow({ refused: 'nothing' }, 0)).toThrow('the kind of the record is unknown');
    });

    test('rejected records have a bound', async () => {
      for (let n = 0; n < 5; n++) await keepRejected(database.db, { n }, 'no');
      await database.db
        .insert(usageRejected)
        .values(
          Array.from({ length: mostRejected - 2 }, (_, n) => ({ reason: 'no', record: '{}', hash: `h${n}` })),
        );
      await dropOldRejected(database.db);
      const kept = await database.db
        .select({ id: usageRejected.id })
        .from(usageRejected)
        .orderBy(usageRejected.id);
      expect(kept).toHaveLength(mostRejected);
      expect(kept[0]?.id).toBe(4);
      await database.db.update(usageRejected).set({ at: new Date(Date.now() - 31 * dayMs) });
      await retain({ db: database.db, ...forever });
      expect(await database.db.select({ id: usageRejected.id }).from(usageRejected)).toEqual([]);
    });
  });
