import { getTableColumns, ne, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import { isRefused } from '../database/unreachable.ts';
import type { LedgerRow } from './row.ts';

/**
 * Adds rows to the ledger, once each. Of what a worker and its caller wrote of one attempt the worker's counts,
 * but it is charged only if both say so: the caller knows whether anything arrived.
 */
export async function addToLedger(db: Database, rows: readonly LedgerRow[]): Promise<void> {
  if (rows.length > 0) await insert(db, distinct(rows));
}

/** Adds rows one by one, and returns those that the database refuses for what they hold. */
export async function addEach<Given extends { row: LedgerRow }>(
  db: Database,
  given: readonly Given[],
): Promise<{ given: Given; error: unknown }[]> {
  const refused: { given: Given; error: unknown }[] = [];
  for (const each of given) {
    try {
      await addToLedger(db, [each.row]);
    } catch (error) {
      if (!isRefused(error)) throw error;
      refused.push({ given: each, error });
    }
  }
  return refused;
}

async function insert(db: Database, rows: LedgerRow[]): Promise<void> {
  const added = await select(db, rows).onConflictDoNothing().returning({ id: usage.id });
  if (added.length === rows.length) return;
  const ids = new Set(added.map(({ id }) => id));
  const again = rows.filter(({ id }) => !ids.has(id));
  await select(db, again).onConflictDoUpdate({
    target: usage.id,
    set: joined,
    setWhere: ne(usage.byCaller, sql`excluded.by_caller`),
  });
}

/** All rows are one parameter: with one a field, the database takes four times as long to read the statement. */
function select(db: Database, rows: readonly LedgerRow[]) {
  const all = sql`jsonb_populate_recordset(null::${usage}, ${JSON.stringify(rows.map(byColumn))}::jsonb)`;
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
function distinct(rows: readonly LedgerRow[]): LedgerRow[] {
  const byId = new Map<string, LedgerRow>();
  for (const row of rows) {
    const known = byId.get(row.id);
    byId.set(row.id, known ? join(known, row) : row);
  }
  return [...byId.values()];
}

function join(known: LedgerRow, row: LedgerRow): LedgerRow {
  if (known.byCaller === row.byCaller) return known;
  return { ...(known.byCaller ? row : known), charged: known.charged && row.charged };
}

/** A row under the names of its columns. */
function byColumn(row: LedgerRow): Record<string, unknown> {
  const values = Object.entries(columns).map(([key, { name }]) => [name, row[key as keyof LedgerRow]]);
  return Object.fromEntries(values);
}
