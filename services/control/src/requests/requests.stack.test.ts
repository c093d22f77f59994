import type { LoggedRequest } from '@model-gateway/canonical';
import { count } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loggedRequests } from '../database/tables.ts';
import { projectGroups, setGroup } from '../people/token-groups.ts';
import { databaseKinds, isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { removeExpired } from './expiry.ts';
import { deleteLogged, findLogged, listLogged } from './read.ts';
import { toLoggedRow } from './row.ts';

const placeOf = () => ({ file: 'gateway.yaml', line: null });

const dayMs = 86_400_000;

const idOf = (n: number) => `019a0000-0000-7000-8000-00000000000${n}`;

/** A logged request that began some days ago. */
function logged(n: number, daysAgo: number, more: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    ...{ id: idOf(n), requestId: `req_${n}`, at: Date.now() - daysAgo * dayMs, ms: 5, format: 'chat' },
    ...{ model: 'fast', tokenId: 'token', project: 'lab', status: 200, outcome: 'answered' },
    request: { text: `asks ${n}`, bytes: 6, cut: false },
    response: { text: `says ${n}`, bytes: 600, cut: true },
    retentionDays: 30,
    ...more,
  };
}

for (const kind of databaseKinds)
  describe.skipIf(isMissing(kind))(`logged requests in ${kind}`, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await openTestDatabase(kind);
    });
    afterAll(() => database.remove());
    beforeEach(async () => {
      await database.db.delete(loggedRequests);
    });

    const add = (...all: LoggedRequest[]) =>
      database.db.insert(loggedRequests).values(all.map(each => toLoggedRow(each, 0)));
    const rows = async () => (await database.db.select({ rows: count() }).from(loggedRequests))[0]?.rows;
    const list = async (filter: object, page: object = {}) => {
      const found = await listLogged(database.db, filter, { limit: 10, ...page });
      return found.map(({ requestId }) => requestId);
    };

    test('are listed without texts by their filters, newest first, and shown with texts', async () => {
      await add(
        logged(1, 3),
        logged(2, 2, { project: 'other', owner: 'ada' }),
        logged(3, 1, { tokenId: 'b', model: 'm' }),
      );
      expect(await list({})).toEqual(['req_3', 'req_2', 'req_1']);
      expect(await list({}, { limit: 1, after: idOf(3) })).toEqual(['req_2']);
      expect(await list({ project: 'lab' })).toEqual(['req_3', 'req_1']);
      expect(await list({ owner: 'ada' })).toEqual(['req_2']);
      expect(await list({ token: 'b', model: 'm' })).toEqual(['req_3']);
      const [from, to] = [2.5, 1.5].map(days => new Date(Date.now() - days * dayMs));
      expect(await list({ from, to })).toEqual(['req_2']);
      const [first] = await listLogged(database.db, {}, { limit: 1 });
      expect(first).not.toHaveProperty('request');
      expect(await findLogged(database.db, 'req_1')).toMatchObject({
        ...{ request: 'asks 1', requestBytes: 6, requestCut: false },
        ...{ response: 'says 1', responseBytes: 600, responseCut: true },
      });
    });

    test('are not shown once they have expired, and are deleted with the next round', async () => {
      await add(logged(1, 31), logged(2, 29), logged(3, 2, { retentionDays: 1 }));
      expect(await list({})).toEqual(['req_2']);
      expect(await findLogged(database.db, 'req_1')).toBeUndefined();
      expect(await rows()).toBe(3);
      await removeExpired(database.db);
      expect(await rows()).toBe(1);
    });

    test('are deleted earlier by a shorter retention of their project, and not later by a longer one', async () => {
      await add(
        logged(1, 5, { project: 'brief' }),
        logged(2, 5, { project: 'long' }),
        logged(3, 5, { retentionDays: 1 }),
      );
      await setGroup(
        database.db,
        projectGroups,
        'brief',
        { logging: { sample: 1, retentionDays: 4 } },
        { placeOf },
      );
      await removeExpired(database.db);
      expect(await list({})).toEqual(['req_2']);
      await setGroup(
        database.db,
        projectGroups,
        'long',
        { logging: { sample: 1, retentionDays: 400 } },
        { placeOf },
      );
      await removeExpired(database.db);
      const [long] = await listLogged(database.db, {}, { limit: 1 });
      expect(long?.expiresAt.getTime()).toBeLessThan(Date.now() + 26 * dayMs);
    });

    test('are deleted by their id', async () => {
      await add(logged(1, 1), logged(2, 1, { requestId: 'req_1' }), logged(3, 1));
      expect((await findLogged(database.db, 'req_1'))?.id).toBe(idOf(2));
      expect(await deleteLogged(database.db, 'req_1')).toBe(true);
      expect(await deleteLogged(database.db, 'req_1')).toBe(false);
      expect(await list({})).toEqual(['req_3']);
    });

    test('are stored whatever they hold', async () => {
      const text = { text: 'a\0b\ud800c', bytes: -1, cut: 'yes' } as unknown as LoggedRequest['request'];
      await add(logged(1, 0, { request: text, model: 'm'.repeat(1_000), status: 1e9 }));
      expect(await findLogged(database.db, 'req_1')).toMatchObject({
        ...{ request: 'a\ufffdb\ufffdc', requestBytes: 0, requestCut: false, status: 999 },
      });
      for (const record of [null, 'text', {}, { id: '' }])
        expect(() => toLoggedRow(record, 0)).toThrow('the record has no id');
    });
  });
