import { createLog } from '@model-gateway/service';
import pg from 'pg';
import { migrations } from '../database/open.ts';
import { openPostgres } from '../database/postgres.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres-server.ts';

/** A database of a test or a file. */
export interface PostgresDatabase {
  url: string;
  /** Removes it, and ends its connections. */
  drop(): Promise<void>;
}

/** True if PostgreSQL is installed. */
export const hasPostgres = postgresPrograms() !== undefined;

/** The server that all tests of this process use. */
let shared: Promise<PostgresServer> | undefined;
let databases = 0;

/**
 * Makes a database on the PostgreSQL that the tests of this process share: a copy of one that is migrated, or an `empty` one. A test
 * that stops its server starts one of its own.
 */
export async function newPostgresDatabase({ empty = false } = {}): Promise<PostgresDatabase> {
  shared ??= startShared();
  const { url } = await shared;
  const name = `test_${databases++}`;
  await execute(url, `create database ${name} template ${empty ? 'template0' : migrated}`);
  return {
    url: urlOf(url, name),
    drop: () => execute(url, `drop database if exists ${name} with (force)`),
  };
}

/** The database that is copied. */
const migrated = 'migrated';

async function startShared(): Promise<PostgresServer> {
  const server = await startPostgres(postgresPrograms() as string);
  await execute(server.url, `create database ${migrated}`);
  const log = createLog('control', 'silent');
  await (await openPostgres(urlOf(server.url, migrated), migrations, log)).close();
  return server;
}

function urlOf(url: string, database: string): string {
  return new URL(database, url).href;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
