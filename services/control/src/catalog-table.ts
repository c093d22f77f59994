import type { RecordKind } from '@model-gateway/catalog';
import { eq, sql } from 'drizzle-orm';
import { type Database, locks } from './database/database.ts';
import { type CatalogRows, nextVersion } from './database/tables.ts';

export type CatalogRow<Data> = {
  name: string;
  data: Data;
  position: number;
  createdAt: Date;
  version: number;
};

/** A table of the catalog, and how its rows relate to the entries of the file. */
export interface CatalogTable<Data, Entry extends { name: string }> {
  kind: RecordKind;
  table: CatalogRows<Data>;
  toData(entry: Entry): Data;
  isSame(data: Data, entry: Entry): boolean;
}

/** The rows of a table that were written, and the names of those that were deleted. */
export interface Applied<Data> {
  written: CatalogRow<Data>[];
  gone: string[];
}

/** Locks the rows of the catalog against other controls until the transaction ends. */
export async function lockCatalog(tx: Database): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${locks.catalog})`);
}

/** Makes a table hold the entries of the file. Only rows that differ are written. */
export async function applyTable<Data, Entry extends { name: string }>(
  tx: Database,
  catalogTable: CatalogTable<Data, Entry>,
  wanted: Entry[],
): Promise<Applied<Data>> {
  const { table, toData } = catalogTable;
  const { changed, gone } = await compareTable(tx, catalogTable, wanted);
  const written: CatalogRow<Data>[] = [];
  for (const { entry, position } of changed) {
    const values = { data: toData(entry), position, version: nextVersion };
    const [row] = await tx
      .insert(table)
      .values({ name: entry.name, ...values })
      .onConflictDoUpdate({ target: table.name, set: values })
      .returning();
    if (row) written.push(row);
  }
  for (const name of gone) await tx.delete(table).where(eq(table.name, name));
  return { written, gone };
}

/** Finds the entries of a file that differ from the rows in content or position, and the rows that it lacks. */
export async function compareTable<Data, Entry extends { name: string }>(
  tx: Database,
  { table, isSame }: CatalogTable<Data, Entry>,
  wanted: Entry[],
) {
  const rows = await tx.select().from(table);
  const known = new Map(rows.map(row => [row.name, row]));
  const changed = wanted
    .map((entry, position) => ({ entry, position }))
    .filter(({ entry, position }) => {
      const row = known.get(entry.name);
      known.delete(entry.name);
      return !row || row.position !== position || !isSame(row.data, entry);
    });
  return { changed, gone: [...known.keys()] };
}
