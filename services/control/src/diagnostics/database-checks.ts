import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Database } from '../database/database.ts';
import { migrations } from '../database/open.ts';
import { type Check, ok, type Result, warning } from './check.ts';
import { fastest } from './fastest.ts';
import { skewOf } from './skew.ts';

/** A query that is slower than this is felt in the console and the command, in milliseconds. */
const slowMs = 200;

export interface DatabaseChecks {
  db: Database;
  /** True for the database in control's own process. */
  isEmbedded: boolean;
}

/** The checks of the database: its answer and its clock, and its tables. */
export function databaseChecks({ db, isEmbedded }: DatabaseChecks): Check[] {
  const advice = isEmbedded
    ? 'Look at the log of control, and at the disk of GATEWAY_DATA.'
    : 'Start PostgreSQL, or correct DATABASE_URL of control. Clients are served meanwhile, and usage waits in NATS for 7 days.';
  return [
    { name: 'database', advice, run: () => checkServer(db, isEmbedded) },
    { name: 'migrations', advice, run: () => checkMigrations(db) },
  ];
}

async function checkServer(db: Database, isEmbedded: boolean): Promise<Result[]> {
  const askedAt = Date.now();
  const [row] = await db
    .select({
      version: sql<string>`current_setting('server_version')`,
      now: sql<number>`extract(epoch from clock_timestamp()) * 1000`.mapWith(Number),
    })
    .from(sql`(select 1) as one`);
  const answeredAt = Date.now();
  if (!row) throw new Error('the database has answered nothing');
  const again = async () => {
    const began = performance.now();
    await db.execute(sql`select 1`);
    return Math.round(performance.now() - began);
  };
  const first = answeredAt - askedAt;
  const ms = first > slowMs ? Math.min(first, await fastest(slowMs, again)) : first;
  const name = isEmbedded ? 'the embedded PostgreSQL' : 'PostgreSQL';
  return [
    ms > slowMs
      ? warning(
          `${name} ${row.version} takes ${ms} ms for a query`,
          'Look at its load, and at the way to it.',
        )
      : ok(`${name} ${row.version} answers in ${ms} ms`),
    ...skewOf('the database', row.now, { askedAt, answeredAt }, sessionsBreak),
  ];
}

const sessionsBreak =
  'Sessions, limits of sign-ins and the months of the ledger follow the clock of the database.';

async function checkMigrations(db: Database): Promise<Result[]> {
  const known = readMigrationFiles(migrations);
  const [row] = await db
    .select({
      last: sql<number>`max(created_at)`.mapWith(Number),
      count: sql<number>`count(*)`.mapWith(Number),
    })
    .from(sql`drizzle.__drizzle_migrations`);
  const newest = known.at(-1)?.folderMillis ?? 0;
  const last = row?.last ?? 0;
  if (last < newest)
    return [
      warning('migrations are missing', 'Restart control, which migrates the database when it starts.'),
    ];
  if (last > newest)
    return [
      warning(
        'a newer version has migrated the database',
        'Finish the update, or the rollback: this version can use the tables.',
      ),
    ];
  return [ok(`all ${row?.count} migrations are applied`)];
}
