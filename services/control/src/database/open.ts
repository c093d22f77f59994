import { join } from 'node:path';
import { type Log, packageFolder, type Settings } from '@model-gateway/service';
import type { OpenDatabase } from './database.ts';
import { openEmbedded } from './embedded.ts';
import { openPostgres } from './postgres.ts';

/** Opens the database and migrates it. */
export async function openDatabase(
  { DATABASE_URL, GATEWAY_DATA }: Settings<'DATABASE_URL' | 'GATEWAY_DATA'>,
  log: Log,
): Promise<OpenDatabase> {
  return DATABASE_URL ? openPostgres(DATABASE_URL, migrations, log) : openEmbedded(GATEWAY_DATA, migrations);
}

export const migrations = { migrationsFolder: join(packageFolder('@model-gateway/control'), 'migrations') };
