import { sql } from 'drizzle-orm';
import { alone } from '../database/alone.ts';
import type { Database } from '../database/database.ts';
import { refusedCounts } from '../database/tables.ts';

const dayMs = 86_400_000;
/** The time for which single requests that were refused are kept, in milliseconds. */
export const refusedRequestsMs = 7 * dayMs;
/** The time after which minutes are joined to hours. */
export const refusedMinutesMs = 2 * dayMs;
/** The most rows that one statement joins. */
const joinedAtOnce = 5_000;

/** Joins the counts of minutes that are over for long to one count an hour of all processes. */
export async function joinRefusedMinutes(db: Database, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const isLeft = await alone(db, async (tx, now) => {
      const before = new Date(now.getTime() - refusedMinutesMs).toISOString();
      const old = sql`select ctid from ${refusedCounts} where start < ${before} and process <> '' limit ${joinedAtOnce}`;
      await tx.execute(sql`with old as (
          delete from ${refusedCounts} where ctid = any(array(${old})) returning *
        )
        insert into ${refusedCounts} (start, process, token_id, project, owner, model, status, reason, count)
        select date_trunc('hour', start, 'UTC'), '', token_id, min(project), min(owner), model, status, reason, sum(count)
        from old group by 1, token_id, model, status, reason
        on conflict (start, process, token_id, model, status, reason)
          do update set count = refused_counts.count + excluded.count`);
      const left = await tx
        .select({ one: sql`1` })
        .from(refusedCounts)
        .where(sql`start < ${before} and process <> ''`)
        .limit(1);
      return left.length > 0;
    });
    if (!isLeft) return;
  }
}
