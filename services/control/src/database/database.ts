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

/** PostgreSQL's advisory locks that controls of one database take, each any number. They must stay the same in every version. */
export const locks = {
  /** Of a session: whoever has it migrates. */
  migration: 7_213_001,
  /** Of a transaction: whoever has it changes rows of the whole catalog. */
  catalog: 7_213_002,
  /** Of a session, shared, with the age of a catalog file as its second number. */
  catalogFile: 7_213_003,
} as const;
