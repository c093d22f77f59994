import { and, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { lockCatalog } from '../audit/catalog-table.ts';
import type { Database } from '../database/database.ts';
import {
  apiModels,
  apiProviders,
  discoveredModels,
  models,
  nextVersion,
  projectSettings,
  projects,
  providers,
  tokens,
  userSettings,
  users,
} from '../database/tables.ts';

/** The facts about KV that decide whether it is ahead of the database. */
export interface KvSummary {
  /** The highest version in KV. */
  highest: number;
  /** True if KV holds a key in a higher version than the database does. */
  ahead: boolean;
  /** The hashes of the tokens that KV holds as revoked. */
  revoked: string[];
}

/**
 * Raises the versions in the database above those in KV, if KV is ahead: the database may be new or restored from a
 * backup, and KV never accepts a lower version. Revocations in KV are taken over.
 */
export async function overtake(db: Database, { highest, ahead, revoked }: KvSummary): Promise<boolean> {
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
    for (const table of versioned) await tx.update(table).set({ version: nextVersion });
    return true;
  });
}

const versioned = [
  ...[tokens, providers, models, apiProviders, apiModels, discoveredModels],
  ...[projectSettings, projects, userSettings, users],
];

const lastVersion: SQL<string> = sql`last_value`;

function setVersion(to: number): SQL<string> {
  return sql`setval('versions', ${to}::bigint)`;
}
