import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMissing, openTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import type { Database } from './database.ts';
import { isRefused, isTooSlow, isUnreachable } from './unreachable.ts';

describe.skipIf(isMissing('PostgreSQL'))('PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase('PostgreSQL');
  });
  afterAll(() => database.remove());

  test('does not compile statements, which takes longer than they run', async () => {
    const jit = async (db: Database) =>
      (await db.select({ value: sql`current_setting('jit')` }).from(sql`(values (1)) as one`))[0]?.value;
    expect(await jit(database.db)).toBe('off');
    expect(await database.db.transaction(jit)).toBe('off');
  });

  const processOf = async (db: Database): Promise<number> =>
    Number((await db.select({ id: sql`pg_backend_pid()` }).from(sql`(values (1)) as one`))[0]?.id);
  const terminate = (id: number) => database.db.execute(sql`select pg_terminate_backend(${id})`);
  const gone = (id: number) =>
    expect
      .poll(() => database.db.execute(sql`select 1 from pg_stat_activity where pid = ${id}`), {
        timeout: 60_000,
      })
      .toMatchObject({ rows: [] });

  test('transactions whose connection is lost between two statements fail, and the process goes on', async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', note);
    const failed = database.db.transaction(async tx => {
      const id = await processOf(tx);
      await terminate(id);
      await gone(id);
      await tx.execute(sql`select 1`);
    });
    await expect(failed).rejects.toSatisfy(isUnreachable);
    process.off('uncaughtException', note);
    expect(uncaught).toEqual([]);
  });

  test('transactions that take too long end in the server, too, and give their connection back', async () => {
    const failed = database.db.transaction(async tx => {
      await tx.execute(sql`set local statement_timeout = 50`);
      await tx.execute(sql`select pg_sleep(60) as nap`);
    });
    await expect(failed).rejects.toSatisfy(isTooSlow);
    await expect(failed).rejects.not.toSatisfy(isRefused);
    const sleeping = sql`select 1 from pg_stat_activity where state = 'active' and query like '%as nap%' and pid <> pg_backend_pid()`;
    await expect.poll(() => database.db.execute(sleeping)).toMatchObject({ rows: [] });
    // The session of the transaction is used again.
    expect(await database.db.execute(sql`show statement_timeout`)).toMatchObject({
      rows: [{ statement_timeout: '9500ms' }],
    });
  });

  test('transactions whose connection is lost as they begin give their connection back', async () => {
    for (let times = 0; times < 12; times++) {
      const id = await processOf(database.db);
      // The stopped process answers the statement that begins the transaction by its own end.
      process.kill(id, 'SIGSTOP');
      const failed = expect(database.db.transaction(async () => {})).rejects.toSatisfy(isUnreachable);
      try {
        await terminate(id);
      } finally {
        process.kill(id, 'SIGCONT');
      }
      await failed;
    }
    expect(await processOf(database.db)).toBeGreaterThan(0);
  });
});
