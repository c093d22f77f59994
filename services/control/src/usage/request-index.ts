import { sql } from 'drizzle-orm';
import type { Database, OpenDatabase } from '../database/database.ts';

const indexName = 'usage_request';
/** The longest wait for a lock on the ledger, in milliseconds. Queries that come after wait behind it. */
const lockMs = 3_000;

/** True if each partition of the ledger has its part of the index by the ids of requests. */
export async function hasRequestIndex(db: Database): Promise<boolean> {
  return (await isValid(db, indexName)) ?? false;
}

/**
 * Adds the missing parts of the index by request: those of partitions that an earlier version filled. Records and queries go on
 * meanwhile.
 */
export async function indexRequests(
  { maintain }: Pick<OpenDatabase, 'maintain'>,
  signal?: AbortSignal,
): Promise<void> {
  await maintain(async db => {
    for (const partition of await unindexed(db)) {
      if (signal?.aborted) return;
      const name = `${partition}_request`;
      const index = sql.identifier(name);
      const state = await isValid(db, name);
      // A control that ended meanwhile leaves an invalid one.
      if (state === false) await db.execute(sql`drop index concurrently ${index}`);
      if (!state)
        await db.execute(
          sql`create index concurrently ${index} on ${sql.identifier(partition)} (request_id)`,
        );
      await db.transaction(async tx => {
        await tx.execute(sql.raw(`set local lock_timeout = ${lockMs}`));
        await tx.execute(sql`alter index ${sql.identifier(indexName)} attach partition ${index}`);
      });
    }
  }, signal);
}

/** True for an index that is valid, false for one that is not, undefined if there is none. */
async function isValid(db: Database, index: string): Promise<boolean | undefined> {
  const [found] = await db
    .select({ valid: sql<boolean>`indisvalid` })
    .from(sql`pg_index`)
    .where(sql`indexrelid = to_regclass(${index})`);
  return found?.valid;
}

/** Returns the names of the partitions that have no part of the index. */
async function unindexed(db: Database): Promise<string[]> {
  const attached = sql`select from pg_index join pg_inherits as parts on parts.inhrelid = indexrelid
    where indrelid = pg_class.oid and parts.inhparent = to_regclass(${indexName})`;
  const found = await db
    .select({ name: sql<string>`relname` })
    .from(sql`pg_inherits join pg_class on pg_class.oid = inhrelid`)
    .where(sql`inhparent = 'usage'::regclass and not exists (${attached})`)
    .orderBy(sql`relname`);
  return found.map(({ name }) => name);
}
