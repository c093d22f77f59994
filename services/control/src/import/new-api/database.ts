import { DatabaseSync } from 'node:sqlite';
import { answerBounds, exceededBound } from '@model-gateway/json';

export type Row = Record<string, unknown>;

/** The parts of a database of new-api that are read. */
export interface NewApiSource {
  channels: Record<string, Row>;
  tokens: Record<string, Row>;
  users: Record<string, Row>;
  options: Row;
  /** The number of rows of each other table that has any. */
  others: Record<string, number>;
}

/** Columns that hold JSON as text. */
const jsonColumns = [
  'model_mapping',
  'status_code_mapping',
  'setting',
  'settings',
  'param_override',
  'header_override',
  'channel_info',
  'other_info',
] as const;
/** Options that hold JSON as text. */
const jsonOptions = [
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ModelPrice',
  'GroupRatio',
] as const;

const read = ['channels', 'tokens', 'users', 'options'];

/** The most tables, of which new-api has some twenty. */
const mostTables = 1_000;
/** The most rows of a table that are read, or counted. */
const mostRows = 200_000;
/** The largest value that is read, in bytes. */
const largestValue = 1_000_000;
/** The most bytes of values that are read of a table. */
const mostBytes = 256_000_000;

/**
 * Reads a SQLite database of new-api, and changes nothing in it. Only its tables are read: no view, no virtual table and no column
 * that is computed. @throws Error that names the file, and the bound that it exceeds
 */
export function readNewApi(path: string): NewApiSource {
  const database = open(path);
  try {
    return readTables(database);
  } catch (cause) {
    if (cause instanceof NotNewApi) throw new Error(`${path} ${cause.message}`);
    throw new Error(`${path} cannot be read as a SQLite database`, { cause });
  } finally {
    database.close();
  }
}

/** The reason why a database is refused: the rest of a sentence that begins with its path. */
class NotNewApi extends Error {}

function readTables(database: DatabaseSync): NewApiSource {
  const tables = database
    // Views and virtual tables have no page of their own.
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%' LIMIT ${mostTables + 1}`,
    )
    .all()
    .map(({ name }) => String(name));
  if (tables.length > mostTables) throw new NotNewApi(`has more than ${mostTables} tables`);
  const missing = read.filter(name => !tables.includes(name));
  if (missing.length > 0)
    throw new NotNewApi(
      `is no database of new-api: it has no ${missing.length > 1 ? 'tables' : 'table'} ${missing.join(', ')}`,
    );
  const options = rowsOf(database, 'options').map(({ key, value }) => [String(key), value] as const);
  return {
    channels: byId(rowsOf(database, 'channels')),
    tokens: byId(rowsOf(database, 'tokens')),
    users: byId(rowsOf(database, 'users')),
    options: withJson(Object.fromEntries(options), jsonOptions),
    others: countsOf(
      database,
      tables.filter(name => !read.includes(name)),
    ),
  };
}

function open(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (cause) {
    throw new Error(`${path} cannot be read as a SQLite database`, { cause });
  }
}

/** Reads the rows of a table. */
function rowsOf(database: DatabaseSync, table: string): Row[] {
  if (countOf(database, table) > mostRows)
    throw new NotNewApi(`has more than ${mostRows} rows in its table ${table}`);
  const columns = database
    .prepare(`PRAGMA table_xinfo(${quote(table)})`)
    .all()
    .flatMap(({ name, hidden }) => (hidden === 0 ? [quote(String(name))] : []));
  const largest = columns.map(column => `octet_length(${column}) > ${largestValue}`).join(' OR ');
  if (database.prepare(`SELECT 1 FROM ${quote(table)} WHERE ${largest} LIMIT 1`).get())
    throw new NotNewApi(`has a value of more than ${largestValue} bytes in its table ${table}`);
  const sum = columns.map(column => `coalesce(octet_length(${column}), 0)`).join(' + ');
  const size = database.prepare(`SELECT total(${sum}) AS bytes FROM ${quote(table)}`).get();
  if (Number(size?.bytes) > mostBytes)
    throw new NotNewApi(`has more than ${mostBytes} bytes in its table ${table}`);
  const rows = database.prepare(`SELECT ${columns.join(', ')} FROM ${quote(table)}`);
  rows.setReadBigInts(true);
  return rows
    .all()
    .map(row => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)])));
}

/** Returns an integer as a number; one that no number holds as text. */
function plain(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function countsOf(database: DatabaseSync, tables: readonly string[]): Record<string, number> {
  const counts = tables.map(table => [table, countOf(database, table)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Counts the rows of a table, up to one more than may be read: pages that lead back to themselves have no end. */
function countOf(database: DatabaseSync, table: string): number {
  const few = `SELECT 1 FROM ${quote(table)} LIMIT ${mostRows + 1}`;
  return Number(database.prepare(`SELECT count(*) AS count FROM (${few})`).get()?.count);
}

function byId(rows: readonly Row[]): Record<string, Row> {
  return Object.fromEntries(rows.map(row => [String(row.id), withJson(row, jsonColumns)]));
}

/** Parses the texts that hold JSON. One that is none stays a text. */
function withJson(row: Row, names: readonly string[]): Row {
  const parsed = names.flatMap(name => {
    // A column of bytes holds the same text.
    const value = row[name] instanceof Uint8Array ? Buffer.from(row[name]).toString() : row[name];
    if (typeof value !== 'string' || value.trim() === '' || exceededBound(value, answerBounds)) return [];
    try {
      return [[name, JSON.parse(value)] as const];
    } catch {
      return [];
    }
  });
  return { ...row, ...Object.fromEntries(parsed) };
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
