import { noUsage, type UsageRecord } from '@model-gateway/canonical';
import { getTableColumns, ne, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import { isUnreachable } from '../database/unreachable.ts';

/** By the names of the columns. */
type Row = Record<string, unknown>;

/**
 * Adds records to the ledger, once each. Of what a worker and its caller wrote of one attempt the worker's counts,
 * but it is charged only if both say so: the caller knows whether anything arrived.
 */
export async function addToLedger(db: Database, records: readonly UsageRecord[]): Promise<void> {
  const rows = distinct(records).map(toRow);
  if (rows.length > 0) await insert(db, rows);
}

/** The same one by one, for records of which some cannot be kept: `refused` is told of these. */
export async function addEach(
  db: Database,
  records: readonly UsageRecord[],
  refused: (record: UsageRecord, error: unknown) => void,
): Promise<void> {
  for (const record of records) {
    try {
      await addToLedger(db, [record]);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      refused(record, error);
    }
  }
}

async function insert(db: Database, rows: Row[]): Promise<void> {
  const added = await select(db, rows).onConflictDoNothing().returning({ id: usage.id });
  if (added.length === rows.length) return;
  const ids = new Set(added.map(({ id }) => id));
  const again = rows.filter(({ id }) => !ids.has(id as string));
  await select(db, again).onConflictDoUpdate({
    target: usage.id,
    set: joined,
    setWhere: ne(usage.byCaller, sql`excluded.by_caller`),
  });
}

/** All rows are one parameter: with one a field, the database takes four times as long to read the statement. */
function select(db: Database, rows: Row[]) {
  const all = sql`jsonb_populate_recordset(null::${usage}, ${JSON.stringify(rows)}::jsonb)`;
  return db.insert(usage).select(sql`select ${names} from ${all}`);
}

const columns = getTableColumns(usage);
const names = sql.join(
  Object.values(columns).map(({ name }) => sql.identifier(name)),
  sql`, `,
);

/** A row of one of the two and what the other wrote. */
const { id: _, charged, ...others } = columns;
const joined = Object.fromEntries([
  ['charged', sql`${charged} and excluded.charged`],
  ...Object.entries(others).map(([key, column]): [string, SQL] => [
    key,
    sql`case when ${usage.byCaller} then excluded.${sql.identifier(column.name)} else ${column} end`,
  ]),
]);

/** One statement cannot touch a row twice: two records of an attempt are joined before. */
function distinct(records: readonly UsageRecord[]): UsageRecord[] {
  const byId = new Map<string, UsageRecord>();
  for (const record of records) {
    const known = byId.get(record.id);
    byId.set(record.id, known ? join(known, record) : record);
  }
  return [...byId.values()];
}

function join(known: UsageRecord, record: UsageRecord): UsageRecord {
  if (Boolean(known.byCaller) === Boolean(record.byCaller)) return known;
  return { ...(known.byCaller ? record : known), charged: known.charged && record.charged };
}

function toRow({ usage: used, ...record }: UsageRecord): Row {
  const { raw, units, ...counts } = used ?? noUsage;
  const fields: typeof usage.$inferInsert = {
    ...record,
    ...counts,
    images: units?.images ?? 0,
    seconds: units?.seconds ?? 0,
    characters: units?.characters ?? 0,
    searches: units?.searches ?? 0,
    at: new Date(record.at),
    ms: Math.round(record.ms),
    firstMs: record.firstMs === undefined ? null : Math.round(record.firstMs),
    error: record.error ?? null,
    known: used !== null,
    estimated: record.estimated ?? false,
    byCaller: record.byCaller ?? false,
    raw: raw ?? null,
  };
  return Object.fromEntries(
    Object.entries(columns).map(([key, { name }]) => [name, fields[key as keyof typeof fields]]),
  );
}
