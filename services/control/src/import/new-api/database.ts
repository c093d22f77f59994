import { DatabaseSync } from 'node:sqlite';

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

/** Reads a SQLite database of new-api, and changes nothing in it. @throws Error that names the file */
export function readNewApi(path: string): NewApiSource {
  const database = open(path);
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
      .map(({ name }) => String(name));
    const missing = read.filter(name => !tables.includes(name));
    if (missing.length > 0)
      throw new Error(
        `${path} is no database of new-api: it has no ${missing.length > 1 ? 'tables' : 'table'} ${missing.join(', ')}`,
      );
    const rows = (table: string) => database.prepare(`SELECT * FROM ${quote(table)}`).all() as Row[];
    const options = rows('options').map(({ key, value }) => [String(key), value] as const);
    return {
      channels: byId(rows('channels')),
      tokens: byId(rows('tokens')),
      users: byId(rows('users')),
      options: withJson(Object.fromEntries(options), jsonOptions),
      others: countsOf(
        database,
        tables.filter(name => !read.includes(name)),
      ),
    };
  } finally {
    database.close();
  }
}

function open(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (cause) {
    throw new Error(`${path} cannot be read as a SQLite database`, { cause });
  }
}

function countsOf(database: DatabaseSync, tables: readonly string[]): Record<string, number> {
  const counts = tables.map(table => {
    const row = database.prepare(`SELECT count(*) AS count FROM ${quote(table)}`).get();
    return [table, Number(row?.count)] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function byId(rows: readonly Row[]): Record<string, Row> {
  return Object.fromEntries(rows.map(row => [String(row.id), withJson(row, jsonColumns)]));
}

/** Parses the texts that hold JSON. One that is none stays a text. */
function withJson(row: Row, names: readonly string[]): Row {
  const parsed = names.flatMap(name => {
    // A column of bytes holds the same text.
    const value = row[name] instanceof Uint8Array ? Buffer.from(row[name]).toString() : row[name];
    if (typeof value !== 'string' || value.trim() === '') return [];
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
