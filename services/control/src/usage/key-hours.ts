import { sql } from 'drizzle-orm';
import { type Database, locks } from '../database/database.ts';
import { usageHours, usageKeyHoursUntil } from '../database/rollup-tables.ts';

/** The columns by which there are roll-ups of hours of their own. */
export const keyKinds = ['project', 'owner', 'model', 'provider'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** Time after which an hour is rolled up by one column each: few records come later. */
const lateMs = 2 * 3_600_000;

/** Rolls up the hours that are over by one column each, the oldest first, and each in a transaction of its own. */
export async function rollUpKeys(db: Database, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) if (!(await rollUpNext(db))) return;
}

/** Rolls up the next hour; false if there is none. */
function rollUpNext(db: Database): Promise<boolean> {
  return db.transaction(async tx => {
    // A transaction that adds attempts holds this lock, too. It sees the new time, or its attempts are in the roll-ups that are read here.
    await tx.execute(sql`select pg_advisory_xact_lock(${locks.keyHours})`);
    const { until } = usageKeyHoursUntil;
    const over = sql`date_trunc('hour', now() - make_interval(secs => ${lateMs / 1_000}), 'UTC')`;
    const oldest = sql`select min(${usageHours.start}) from ${usageHours}, ${usageKeyHoursUntil}
      where ${usageHours.start} >= ${until} and ${usageHours.start} < ${over}`;
    const [next] = await tx
      .select({ hour: sql<string | null>`(${oldest})::text` })
      .from(sql`(select 1) as one`);
    const hour = next?.hour ?? null;
    if (hour !== null) await tx.execute(sql`select usage_sum_keys(${hour}::timestamptz)`);
    const end = hour === null ? over : sql`${hour}::timestamptz + interval '1 hour'`;
    await tx.update(usageKeyHoursUntil).set({ until: sql`greatest(${until}, ${end})` });
    return hour !== null;
  });
}

/** Returns the end of the hours that are rolled up by one column each. */
export async function keysUntil(db: Database): Promise<Date | undefined> {
  const { until } = usageKeyHoursUntil;
  const [found] = await db.select({ until }).from(usageKeyHoursUntil).where(sql`isfinite(${until})`);
  return found?.until;
}
