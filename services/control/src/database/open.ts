import { fileURLToPath } from 'node:url';
import type { Log } from '@model-gateway/service';
import type { OpenDatabase } from './database.ts';
import { openEmbedded } from './embedded.ts';
import { openPostgres } from './postgres.ts';

interface DatabaseSettings {
  DATABASE_URL?: string | undefined;
  GATEWAY_DATA: string;
}

/** Opens the database and migrates it. */
export async function openDatabase(settings: DatabaseSettings, log: Log): Promise<OpenDatabase> {
  const { DATABASE_URL, GATEWAY_DATA } = settings;
  return DATABASE_URL ? openPostgres(DATABASE_URL, migrations, log) : openEmbedded(GATEWAY_DATA, migrations);
}

const migrations = { migrationsFolder: fileURLToPath(new URL('../../migrations', import.meta.url)) };
