import { getTableColumns, getTableName, ne, type SQL, sql } from 'drizzle-orm';
import type { Copy, Database, OpenDatabase } from '../database/database.ts';
import { usage } from '../database/tables.ts';
import { isRefused } from '../database/unreachable.ts';
import { copyRows } from './copy-rows.ts';
import type { LedgerRow } from './row.ts';

export type LedgerDatabase = Pick<OpenDatabase, 'db' | 'copy'>;

/**
 * Adds rows to the ledger, once each; they may be iterated twice. If a worker and its caller both recorded an attempt, the worker's record is used.
 * The attempt is charged only if both records are, since the caller knows whether a response arrived. It is the one that its request
 * ended with only if both say so, since the caller knows whether another one followed.
 */
export async function addToLedger({ db, copy }: LedgerDatabase, rows: Iterable<LedgerRow>): Promise<void> {
  if (copy && (await addNew(copy, rows))) return;
  await insert(db, distinct(rows));
}

/** Adds rows one by one, and returns those that the database refuses because of their values. */
export async function addEach<Entry extends { row: LedgerRow }>(
  database: LedgerDatabase,
  entries: Iterable<Entry>,
): Promise<{ entry: Entry; error: unknown }[]> {
  const refused: { entry: Entry; error: unknown }[] = [];
  for (const entry of entries) {
    try {
      await addToLedger(database, [entry.row]);
    } catch (error) {
      if (!isRefused(error)) throw error;
      refused.push({ entry, error });
    }
  }
  return refused;
}

/** Adds rows of which the ledger has none. Returns false, and adds none, if it has one of them or refuses a value. */
async function addNew(copy: Copy, rows: Iterable<LedgerRow>): Promise<boolean> {
  try {
    await copy(getTableName(usage), columnNames, copyRows(columns, rows));
    return true;
  } catch (error) {
    if (!isRefused(error)) throw error;
    return false;
  }
}

/** Passes all rows as one parameter: with one for each field, the database parses the statement four times slower. */
async function insert(db: Database, rows: readonly LedgerRow[]): Promise<void> {
  if (rows.length === 0) return;
  const all = sql`json_populate_recordset(null::${usage}, ${JSON.stringify(rows.map(byColumn))}::json)`;
  await db
    .insert(usage)
    .select(sql`select ${names} from ${all}`)
    .onConflictDoUpdate({
      target: usage.id,
      set: joined,
      setWhere: ne(usage.byCaller, sql`excluded.by_caller`),
    });
}

const columns = getTableColumns(usage);
const columnNames = Object.values(columns).map(({ name }) => name);
const names = sql.join(
  columnNames.map(name => sql.identifier(name)),
  sql`, `,
);

/** The columns of a row that both a worker and its caller wrote. */
const { id: _, charged, final, ...others } = columns;
const joined = Object.fromEntries([
  ['charged', sql`${charged} and excluded.charged`],
  ['final', sql`${final} and excluded.final`],
  ...Object.entries(others).map(([key, column]): [string, SQL] => [
    key,
    sql`case when ${usage.byCaller} then excluded.${sql.identifier(column.name)} else ${column} end`,
  ]),
]);

/** Joins two records of an attempt, since one statement cannot change a row twice. */
function distinct(rows: Iterable<LedgerRow>): LedgerRow[] {
  const byId = new Map<string, LedgerRow>();
  for (const row of rows) {
    const known = byId.get(row.id);
    byId.set(row.id, known ? join(known, row) : row);
  }
  return [...byId.values()];
}

function join(known: LedgerRow, row: LedgerRow): LedgerRow {
  if (known.byCaller === row.byCaller) return known;
  const [charged, final] = [known.charged && row.charged, (known.final ?? true) && (row.final ?? true)];
  return { ...(known.byCaller ? row : known), charged, final };
}

const fields = Object.entries(columns).map(([key, { name }]) => ({ name, key: key as keyof LedgerRow }));

/** Converts a row to its column names. */
function byColumn(row: LedgerRow): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, key } of fields) values[name] = row[key];
  return values;
}
