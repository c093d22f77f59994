import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';

/** The months after the current one for which there are partitions. */
const monthsAhead = 2;

/** A partition of the ledger. The end of its times is exclusive, in milliseconds since 1970; undefined if it has none. */
interface Partition {
  name: string;
  end: number | undefined;
}

/** Makes the partitions of the ledger that are missing up to some months after `now`. */
export async function makePartitions(tx: Database, now: Date): Promise<void> {
  const ends = (await partitionsOf(tx)).map(({ end = 0 }) => end);
  const last = new Date(now);
  last.setUTCMonth(last.getUTCMonth() + monthsAhead, 1);
  let start = new Date(Math.max(...ends));
  while (start <= last) {
    const end = new Date(start);
    end.setUTCMonth(end.getUTCMonth() + 1);
    await makePartition(tx, start, end);
    start = end;
  }
}

/** Drops the partitions of the ledger whose times end by `before`. */
export async function dropPartitions(tx: Database, before: Date): Promise<void> {
  for (const { name, end } of await partitionsOf(tx))
    if (end !== undefined && end <= before.getTime())
      await tx.execute(sql`drop table ${sql.identifier(name)}`);
}

async function partitionsOf(db: Database): Promise<Partition[]> {
  const found = await db
    .select({ name: sql<string>`relname`, bounds: sql<string>`pg_get_expr(relpartbound, pg_class.oid)` })
    .from(sql`pg_inherits join pg_class on pg_class.oid = inhrelid`)
    .where(sql`inhparent = 'usage'::regclass`);
  return found.map(({ name, bounds }) => {
    const [, end] = / TO \('([^']+)'\)$/.exec(bounds) ?? [];
    return { name, end: end === undefined ? undefined : timeOf(end) };
  });
}

/** Makes the partition of a month. Records that came before it are in the partition for the rest, and move. */
async function makePartition(tx: Database, start: Date, end: Date): Promise<void> {
  const name = sql.identifier(`usage_${start.toISOString().slice(0, 7).replace('-', '_')}`);
  const [low, high] = [idAt(start), idAt(end)];
  await tx.execute(sql`create table ${name} (like usage including defaults)`);
  await tx.execute(sql`lock table usage_rest in access exclusive mode`);
  await tx.execute(sql`with moved as (delete from usage_rest where id >= ${low} and id < ${high} returning *)
    insert into ${name} select * from moved`);
  const bounds = sql.raw(`for values from ('${low}') to ('${high}')`);
  await tx.execute(sql`alter table usage attach partition ${name} ${bounds}`);
}

/** Returns the lowest UUIDv7 of a time. */
export function idAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns the time in a UUIDv7, in milliseconds since 1970. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
