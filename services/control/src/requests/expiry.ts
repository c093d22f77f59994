import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { alone } from '../database/alone.ts';
import type { Database } from '../database/database.ts';
import { loggedRequests } from '../database/tables.ts';
import { listGroups, projectGroups } from '../people/token-groups.ts';

/** The most rows that one statement deletes. */
const deletedAtOnce = 500;

/** Deletes the logged requests whose time has passed. A shorter retention of a project holds for its earlier ones, too. */
export async function removeExpired(db: Database, signal?: AbortSignal): Promise<void> {
  await shorten(db);
  let deleted = 0;
  while (!signal?.aborted) {
    const count = await alone(db, (tx, now) => deleteSome(tx, lt(loggedRequests.expiresAt, now)));
    if (!count) break;
    deleted += count;
  }
  // Frees the room of the texts: the embedded database has no process for this. PostgreSQL has, should this one take too long.
  if (deleted > 0) await db.execute(sql`vacuum ${loggedRequests}`).catch(() => {});
}

async function shorten(db: Database): Promise<void> {
  const { project, at, expiresAt } = loggedRequests;
  await alone(db, async tx => {
    for (const { name, settings } of await listGroups(tx, projectGroups)) {
      const days = settings.logging?.retentionDays;
      if (days === undefined) continue;
      const end = sql`${at} + make_interval(secs => ${days * 86_400})`;
      await tx
        .update(loggedRequests)
        .set({ expiresAt: end })
        .where(and(eq(project, name), sql`${expiresAt} > ${end}`));
    }
  });
}

async function deleteSome(tx: Database, which: SQL): Promise<number> {
  const { id } = loggedRequests;
  const some = tx.select({ id }).from(loggedRequests).where(which).limit(deletedAtOnce);
  return (await tx.delete(loggedRequests).where(inArray(id, some)).returning({ id })).length;
}
