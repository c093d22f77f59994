import { sql } from 'drizzle-orm';
import { type Database, locks } from './database.ts';

/** The longest wait for a lock on a table, in milliseconds. Queries that come after wait behind it. */
const lockMs = 3_000;

/** Runs a transaction with the time of the database; does not run it, and returns undefined, while another control runs one. */
export async function alone<Result>(
  db: Database,
  run: (tx: Database, now: Date) => Promise<Result>,
): Promise<Result | undefined> {
  return db.transaction(async tx => {
    const [state] = await tx
      .select({ taken: sql<boolean>`taken`, now: sql`now()`.mapWith(String) })
      .from(sql`pg_try_advisory_xact_lock(${locks.retention}) as taken`);
    if (!state?.taken) return undefined;
    await tx.execute(sql.raw(`set local lock_timeout = ${lockMs}`));
    return run(tx, new Date(state.now));
  });
}
