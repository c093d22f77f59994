import { isDeepStrictEqual } from 'node:util';
import {
  type CatalogFile,
  type Model,
  type Project,
  type Provider,
  type RecordKind,
  recordKey,
  type StoredProvider,
  sealProvider,
  unsealProvider,
} from '@model-gateway/catalog';
import { eq, sql } from 'drizzle-orm';
import type { Change } from './change.ts';
import { type Database, locks } from './database/database.ts';
import { type CatalogRows, models, nextVersion, projectSettings, providers } from './database/tables.ts';

type Row<Data> = { name: string; data: Data; position: number; createdAt: Date; version: number };

/**
 * Writes the catalog file to the database, in one transaction that touches only what differs. Returns the changes, or
 * undefined if the file is superseded by another control's file with a different catalog.
 */
export async function applyCatalog(
  db: Database,
  key: Uint8Array,
  file: CatalogFile,
  isSuperseded: (tx: Database) => Promise<boolean> = async () => false,
): Promise<Change[] | undefined> {
  return db.transaction(async tx => {
    await lockCatalog(tx);
    if (await isSuperseded(tx)) return (await differs(tx, key, file)) ? undefined : [];
    return [
      ...(await applyTable(tx, providerTable(key), file.providers)),
      ...(await applyTable(tx, modelTable, file.models)),
      ...(await applyTable(tx, projectTable, file.projects)),
    ];
  });
}

/** Locks the rows of the catalog against other controls until the transaction ends. */
export async function lockCatalog(tx: Database): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${locks.catalog})`);
}

/** Reads the whole catalog from the database. */
export async function wholeCatalog(db: Database): Promise<Change[]> {
  return [
    ...(await db.select().from(providers)).map(providerChange),
    ...(await db.select().from(models)).map(modelChange),
    ...(await db.select().from(projectSettings)).map(projectChange),
  ];
}

/** A table of the catalog, and how its rows relate to the entries of the file. */
interface CatalogTable<Data, Entry extends { name: string }> {
  kind: RecordKind;
  table: CatalogRows<Data>;
  toData(entry: Entry): Data;
  isSame(data: Data, entry: Entry): boolean;
  toChange(row: Row<Data>): Change;
}

const unchanged = <Entry>(entry: Entry) => entry;

const providerTable = (key: Uint8Array): CatalogTable<StoredProvider, Provider> => ({
  kind: 'provider',
  table: providers,
  toData: provider => sealProvider(key, provider),
  isSame: (stored, provider) => isDeepStrictEqual(tryUnseal(key, stored), provider),
  toChange: providerChange,
});
const modelTable: CatalogTable<Model, Model> = {
  kind: 'model',
  table: models,
  toData: unchanged,
  isSame: isDeepStrictEqual,
  toChange: modelChange,
};
const projectTable: CatalogTable<Project, Project> = {
  kind: 'project',
  table: projectSettings,
  toData: unchanged,
  isSame: isDeepStrictEqual,
  toChange: projectChange,
};

async function differs(tx: Database, key: Uint8Array, file: CatalogFile): Promise<boolean> {
  const found = [
    await compare(tx, providerTable(key), file.providers),
    await compare(tx, modelTable, file.models),
    await compare(tx, projectTable, file.projects),
  ];
  return found.some(({ changed, gone }) => changed.length > 0 || gone.length > 0);
}

async function applyTable<Data, Entry extends { name: string }>(
  tx: Database,
  catalogTable: CatalogTable<Data, Entry>,
  wanted: Entry[],
): Promise<Change[]> {
  const { kind, table, toData, toChange } = catalogTable;
  const { changed, gone } = await compare(tx, catalogTable, wanted);
  const changes: Change[] = [];
  for (const { entry, position } of changed) {
    const values = { data: toData(entry), position, version: nextVersion };
    const [row] = await tx
      .insert(table)
      .values({ name: entry.name, ...values })
      .onConflictDoUpdate({ target: table.name, set: values })
      .returning();
    if (row) changes.push(toChange(row));
  }
  for (const name of gone) {
    await tx.delete(table).where(eq(table.name, name));
    changes.push({ bucket: 'catalog', key: recordKey(kind, name), value: null });
  }
  return changes;
}

/** Finds the entries of a file that differ from the rows in content or position, and the rows that it lacks. */
async function compare<Data, Entry extends { name: string }>(
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

/** Returns undefined if the secret is sealed under another master key; the secret of the file is then sealed again. */
function tryUnseal(key: Uint8Array, stored: StoredProvider): Provider | undefined {
  try {
    return unsealProvider(key, stored);
  } catch {
    return undefined;
  }
}

function providerChange({ name, data, version }: Row<StoredProvider>): Change {
  return { bucket: 'catalog', key: recordKey('provider', name), value: { ...data, version } };
}

function modelChange({ name, data, version, position, createdAt }: Row<Model>): Change {
  const created = Math.floor(createdAt.getTime() / 1000);
  return {
    bucket: 'catalog',
    key: recordKey('model', name),
    value: { ...data, version, position, created },
  };
}

function projectChange({ name, data, version }: Row<Project>): Change {
  return { bucket: 'catalog', key: recordKey('project', name), value: { ...data, version } };
}
