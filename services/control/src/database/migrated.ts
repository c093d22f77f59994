import { sql } from 'drizzle-orm';
import { type MigrationConfig, readMigrationFiles } from 'drizzle-orm/migrator';
import type { Database } from './database.ts';

/** Returns the reason why a database cannot be migrated: its first migration is not the first one of this version. */
export async function whyForeign(db: Database, migrations: MigrationConfig): Promise<string | undefined> {
  const journal = sql`to_regclass('drizzle.__drizzle_migrations')`;
  const [found] = await db
    .select({ exists: sql<boolean>`${journal} is not null` })
    .from(sql`(values (1)) as one`);
  if (!found?.exists) return undefined;
  const [first] = await db
    .select({ hash: sql<string>`hash` })
    .from(sql`drizzle.__drizzle_migrations`)
    .orderBy(sql`created_at`)
    .limit(1);
  if (!first || first.hash === readMigrationFiles(migrations)[0]?.hash) return undefined;
  return 'it was made by a version before 0.1.0, whose data this version cannot read. Use an empty database.';
}
