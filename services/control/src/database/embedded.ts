import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { MigrationConfig } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { OpenDatabase } from './database.ts';
import { noClaims } from './file-claims.ts';
import { takeLock } from './lock.ts';

/** Opens PGlite in `control` of the data folder. @throws ConfigError if another process has it open */
export async function openEmbedded(dataFolder: string, migrations: MigrationConfig): Promise<OpenDatabase> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const lock = await takeLock(join(dataFolder, 'control.lock'));
  try {
    const client = await PGlite.create(join(dataFolder, 'control'));
    const db = drizzle({ client });
    await migrate(db, migrations);
    return { db, claims: noClaims(), close: () => client.close().finally(lock.release) };
  } catch (error) {
    lock.release();
    throw error;
  }
}
