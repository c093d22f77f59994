import { and, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { lockCatalog } from './catalog.ts';
import type { Database } from './database/database.ts';
import { models, nextVersion, projectSettings, providers, tokens } from './database/tables.ts';

/** What KV holds that the record may never have heard of. */
export interface Seen {
  highest: number;
  /** KV holds a key in a higher version than the record does. */
  ahead: boolean;
  /** Hashes of the tokens whose tombstones it holds. */
  revoked: string[];
}

/**
 * Puts the record ahead of KV where KV is ahead of it, as when the database is a new one or comes from a backup:
 * otherwise KV, which never takes a lower version, would not follow it any more. Revocations in KV are kept.
 */
export async function overtake(db: Database, { highest, ahead, revoked }: Seen): Promise<boolean> {
  return db.transaction(async tx => {
    await lockCatalog(tx);
    const [last] = await tx.select({ value: lastVersion }).from(sql`versions`);
    const behind = Number(last?.value) < highest;
    if (!behind && !ahead) return false;
    if (behind) await tx.select({ value: setVersion(highest) }).from(sql`versions`);
    if (revoked.length > 0) {
      const live = and(inArray(tokens.hash, revoked), isNull(tokens.revokedAt));
      await tx.update(tokens).set({ revokedAt: sql`now()` }).where(live);
    }
    for (const table of [tokens, providers, models, projectSettings])
      await tx.update(table).set({ version: nextVersion });
    return true;
  });
}

const lastVersion: SQL<string> = sql`last_value`;

function setVersion(to: number): SQL<string> {
  return sql`setval('versions', ${to}::bigint)`;
}
