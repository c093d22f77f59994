import { noUsage, type UsageRecord } from '@model-gateway/canonical';
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import { isUnreachable } from '../database/unreachable.ts';

type Row = typeof usage.$inferInsert;

/** Adds records to the ledger. One that is there already stays, unless a caller wrote it and now its worker does. */
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

function insert(db: Database, rows: Row[]): Promise<unknown> {
  return db
    .insert(usage)
    .values(rows)
    .onConflictDoUpdate({
      target: usage.id,
      set: fromInserted,
      setWhere: and(eq(usage.byCaller, true), eq(sql`excluded.by_caller`, false)),
    });
}

const { id: _, ...changeable } = getTableColumns(usage);
const fromInserted = Object.fromEntries(
  Object.entries(changeable).map(([key, column]): [string, SQL] => [
    key,
    sql`excluded.${sql.identifier(column.name)}`,
  ]),
);

/** One statement cannot touch a row twice: of two records of an attempt the worker's own counts. */
function distinct(records: readonly UsageRecord[]): UsageRecord[] {
  const byId = new Map<string, UsageRecord>();
  for (const record of records) {
    const known = byId.get(record.id);
    if (!known || (known.byCaller && !record.byCaller)) byId.set(record.id, record);
  }
  return [...byId.values()];
}

function toRow({ usage: used, ...record }: UsageRecord): Row {
  const { raw, ...counts } = used ?? noUsage;
  return {
    ...record,
    ...counts,
    at: new Date(record.at),
    ms: Math.round(record.ms),
    firstMs: record.firstMs === undefined ? null : Math.round(record.firstMs),
    error: record.error ?? null,
    known: used !== null,
    estimated: record.estimated ?? false,
    byCaller: record.byCaller ?? false,
    raw: raw ?? null,
  };
}
