import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, type Log } from '@model-gateway/service';
import { type MigrationConfig, readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { type Database, locks, type OpenDatabase } from './database.ts';
import { detectLostClients, PostgresFileClaims } from './file-claims.ts';
import { whyForeign } from './migrated.ts';
import { isUnreachable } from './unreachable.ts';

const waitMs = 60_000;
const lockTryMs = 250;
/** The longest time that a control waits for another control's migration, in milliseconds. */
const migrationWaitMs = 600_000;

/** Time after which this process gives a statement up, since the server may not be reached any more, in milliseconds. */
const queryMs = 10_000;
/** Time after which the server itself ends a statement, in milliseconds: shorter, so that none runs on for nobody. */
const statementMs = 9_500;

/** Opens PostgreSQL, waiting up to a minute for it to be reachable. @throws ConfigError if it cannot be used */
export async function openPostgres(
  url: string,
  migrations: MigrationConfig,
  log: Log,
): Promise<OpenDatabase> {
  await migrateWhenReachable(url, migrations, log);
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    query_timeout: queryMs,
    // Compiling a statement takes far longer than any of control's runs. A pooler such as PgBouncer refuses these among the
    // parameters with which a session starts.
    onConnect: async client =>
      void (await client.query(`set statement_timeout = ${statementMs}; set jit = off`)),
  });
  pool.on('error', error => log.warn({ err: error }, 'lost a connection to the database'));
  // The pool listens to idle clients alone, and each query to its own.
  pool.on('connect', client => client.on('error', () => {}));
  const claims = new PostgresFileClaims(url);
  return {
    db: Object.assign(drizzle({ client: pool }), { transaction: transactionsOf(pool) }),
    claims,
    async close() {
      await Promise.all([pool.end(), claims.close()]);
    },
  };
}

/**
 * Runs each transaction with a client of the pool. Drizzle's own never returns a client on which it cannot begin, and returns one
 * whose statement timed out with its transaction still open.
 */
function transactionsOf(pool: pg.Pool): Database['transaction'] {
  return async (work, config) => {
    const client = await pool.connect();
    let lost: Error | undefined;
    try {
      return await drizzle({ client }).transaction(work, config);
    } catch (error) {
      if (isUnreachable(error)) lost = error as Error;
      throw error;
    } finally {
      client.release(lost);
    }
  };
}

/** Returns a client for statements of any duration. */
function lastingClient(connectionString: string): pg.Client {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  client.on('error', () => {});
  return client;
}

async function migrateWhenReachable(url: string, migrations: MigrationConfig, log: Log): Promise<void> {
  const giveUp = Date.now() + waitMs;
  for (;;) {
    try {
      return await migrateAlone(url, migrations, log);
    } catch (error) {
      if (!isUnreachable(error) || Date.now() > giveUp) throw unusable(error);
      log.warn({ err: error }, 'waiting for the database');
      await sleep(1_000);
    }
  }
}

/**
 * Applies the missing migrations in one transaction, under a session lock. Of several controls that start at once, one
 * migrates. If it dies, its transaction is rolled back and the next control migrates.
 */
async function migrateAlone(url: string, migrations: MigrationConfig, log: Log): Promise<void> {
  const client = lastingClient(url);
  try {
    await client.connect();
    await detectLostClients(client);
    await takeLock(client, log);
    const foreign = await whyForeign(drizzle({ client }), migrations);
    if (foreign) throw new Error(foreign);
    await migrate(drizzle({ client }), migrations);
    await logIfAhead(client, migrations, log);
  } finally {
    await client.end().catch(() => {});
  }
}

async function takeLock(client: pg.Client, log: Log): Promise<void> {
  const giveUp = Date.now() + migrationWaitMs;
  for (let logged = false; ; logged = true) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [locks.migration]);
    if (rows[0]?.taken) return;
    if (Date.now() > giveUp)
      throw new Error(`another control has been migrating it for ${migrationWaitMs / 60_000} minutes`);
    if (!logged) log.info('waiting for another control that is migrating the database');
    await sleep(lockTryMs);
  }
}

/** Logs if a newer version has migrated the database. Its tables stay usable, as in a rolling update or a rollback. */
async function logIfAhead(client: pg.Client, migrations: MigrationConfig, log: Log): Promise<void> {
  const known = readMigrationFiles(migrations).at(-1)?.folderMillis ?? 0;
  const { rows } = await client.query('select max(created_at) as last from drizzle.__drizzle_migrations');
  if (Number(rows[0]?.last) > known)
    log.info('a newer version has migrated the database; this version can use it');
}

function unusable(error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : '';
  return new ConfigError(`DATABASE_URL: cannot be used: ${reason}`, { cause: error });
}
