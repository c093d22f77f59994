import { fileURLToPath } from 'node:url';
import type { Log } from '@model-gateway/service';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { openEmbedded } from './embedded.ts';
import type { FileClaims } from './file-claims.ts';
import { openPostgres } from './postgres.ts';

/** The system of record: PostgreSQL, or PGlite, which is PostgreSQL in this process. A transaction is one too. */
export type Database = PgDatabase<PgQueryResultHKT>;

export interface OpenDatabase {
  db: Database;
  claims: FileClaims;
  close(): Promise<void>;
}

export interface DatabaseSettings {
  DATABASE_URL?: string | undefined;
  GATEWAY_DATA: string;
}

/** Opens the database and brings its tables up to date. */
export async function openDatabase(settings: DatabaseSettings, log: Log): Promise<OpenDatabase> {
  const { DATABASE_URL, GATEWAY_DATA } = settings;
  return DATABASE_URL ? openPostgres(DATABASE_URL, migrations, log) : openEmbedded(GATEWAY_DATA, migrations);
}

const migrations = { migrationsFolder: fileURLToPath(new URL('../../migrations', import.meta.url)) };
