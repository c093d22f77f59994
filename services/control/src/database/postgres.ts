import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, type Log } from '@model-gateway/service';
import type { MigrationConfig } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import type { OpenDatabase } from './database.ts';
import { isUnreachable } from './unreachable.ts';

const waitMs = 60_000;
/** Any number, the same in every control: whoever has it migrates, the others wait. */
const migrationLock = 7_213_001;

/** Opens PostgreSQL, for which it waits up to a minute. @throws ConfigError if it cannot be used */
export async function openPostgres(
  url: string,
  migrations: MigrationConfig,
  log: Log,
): Promise<OpenDatabase> {
  await migrateWhenThere(url, migrations, log);
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  });
  pool.on('error', error => log.warn({ err: error }, 'lost a connection to the database'));
  return { db: drizzle({ client: pool }), close: () => pool.end() };
}

async function migrateWhenThere(url: string, migrations: MigrationConfig, log: Log): Promise<void> {
  const giveUp = Date.now() + waitMs;
  for (;;) {
    try {
      return await migrateAlone(url, migrations);
    } catch (error) {
      if (!isUnreachable(error) || Date.now() > giveUp) throw unusable(error);
      log.warn({ err: error }, 'waiting for the database');
      await sleep(1_000);
    }
  }
}

/** Controls that start at once would make the same tables: the lock goes with its connection. */
async function migrateAlone(url: string, migrations: MigrationConfig): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await migrate(drizzle({ client }), migrations);
  } finally {
    await client.end().catch(() => {});
  }
}

function unusable(error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : '';
  return new ConfigError(`DATABASE_URL: cannot be used: ${reason}`, { cause: error });
}
