import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const schema = readFileSync(new URL('../import/fixtures/new-api/schema.sql', import.meta.url), 'utf8');

type Row = Readonly<Record<string, string | number | null>>;

/** Rows of tables of new-api. Columns that are absent have the defaults of its schema. */
export type NewApiRows = Readonly<Record<string, readonly Row[]>>;

/** Creates a database as new-api does, in its own schema. */
export function createNewApiDatabase(path: string, tables: NewApiRows): void {
  const database = new DatabaseSync(path, { enableDoubleQuotedStringLiterals: true });
  database.exec(schema);
  for (const [table, rows] of Object.entries(tables)) insertRows(database, table, rows);
  database.close();
}

/** Returns the options of new-api that state a price: maps by the names of models, as text. */
export function optionsOf(values: Readonly<Record<string, unknown>>): Row[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
}

function insertRows(database: DatabaseSync, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    const columns = names.map(name => `\`${name}\``).join(', ');
    const places = names.map(() => '?').join(', ');
    database
      .prepare(`INSERT INTO \`${table}\` (${columns}) VALUES (${places})`)
      .run(...names.map(name => row[name] ?? null));
  }
}
