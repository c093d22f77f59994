import type { RecordKind } from '@model-gateway/catalog';
import { eq, sql } from 'drizzle-orm';
import { type Database, locks } from '../database/database.ts';
import { type CatalogRows, nextVersion } from '../database/tables.ts';
import { type Actor, type AuditEvent, recordEvent } from './record.ts';

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
  /** Returns a row's data as the audit log shows it, without secrets. */
  toShown?(data: Data): object;
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

/** Makes a table hold the entries of the file, in the name of `actor`. Only rows that differ are written. */
export async function applyTable<Data extends object, Entry extends { name: string }>(
  tx: Database,
  catalogTable: CatalogTable<Data, Entry>,
  wanted: Entry[],
  actor: Actor,
): Promise<Applied<Data>> {
  const { table, toData } = catalogTable;
  const compared = await compareTable(tx, catalogTable, wanted);
  const { changed, gone } = compared;
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
  await recordEvent(tx, actor, ...eventsOf(catalogTable, compared, written));
  return { written, gone };
}

/** Returns the acts of a file: an entry that is only at another place is the same. */
function eventsOf<Data extends object, Entry extends { name: string }>(
  { kind, isSame, toShown = data => data }: CatalogTable<Data, Entry>,
  { changed, gone, before }: Awaited<ReturnType<typeof compareTable<Data, Entry>>>,
  written: readonly CatalogRow<Data>[],
): AuditEvent[] {
  const action = 'applyFile';
  const shown = (data: Data | undefined) => (data ? toShown(data) : null);
  const moved = new Set(
    changed
      .filter(({ entry }) => {
        const data = before.get(entry.name);
        return data !== undefined && isSame(data, entry);
      })
      .map(({ entry }) => entry.name),
  );
  const ofProject = (name: string) => (kind === 'project' ? { project: name } : {});
  return [
    ...written
      .filter(({ name }) => !moved.has(name))
      .map(({ name, data }): AuditEvent => {
        const earlier = shown(before.get(name));
        return { action, subject: { kind, name }, ...ofProject(name), before: earlier, after: shown(data) };
      }),
    ...gone.map((name): AuditEvent => {
      const earlier = shown(before.get(name));
      return { action, subject: { kind, name }, ...ofProject(name), before: earlier, after: null };
    }),
  ];
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
  const before = new Map(rows.map(({ name, data }) => [name, data]));
  return { changed, gone: [...known.keys()], before };
}
