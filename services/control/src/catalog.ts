import { isDeepStrictEqual } from 'node:util';
import {
  type CatalogFile,
  type Model,
  type Project,
  type Provider,
  recordKey,
  type StoredProvider,
  sealProvider,
  unsealProvider,
} from '@model-gateway/catalog';
import { eq, sql } from 'drizzle-orm';
import type { Change } from './change.ts';
import { type Database, locks } from './database/database.ts';
import { models, nextVersion, projectSettings, providers } from './database/tables.ts';

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
      ...(await applyProviders(tx, key, file.providers)),
      ...(await applyModels(tx, file.models)),
      ...(await applyProjects(tx, file.projects)),
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

async function differs(tx: Database, key: Uint8Array, file: CatalogFile): Promise<boolean> {
  const found = [
    compare(await tx.select().from(providers), file.providers, sameProvider(key)),
    compare(await tx.select().from(models), file.models, isDeepStrictEqual),
    compare(await tx.select().from(projectSettings), file.projects, isDeepStrictEqual),
  ];
  return found.some(({ changed, gone }) => changed.length > 0 || gone.length > 0);
}

async function applyProviders(tx: Database, key: Uint8Array, wanted: Provider[]): Promise<Change[]> {
  const { changed, gone } = compare(await tx.select().from(providers), wanted, sameProvider(key));
  const changes: Change[] = [];
  for (const { entry, position } of changed) {
    const data = sealProvider(key, entry);
    const values = { data, position, version: nextVersion };
    const [row] = await tx
      .insert(providers)
      .values({ name: entry.name, ...values })
      .onConflictDoUpdate({ target: providers.name, set: values })
      .returning();
    if (row) changes.push(providerChange(row));
  }
  for (const name of gone) {
    await tx.delete(providers).where(eq(providers.name, name));
    changes.push({ bucket: 'catalog', key: recordKey('provider', name), value: null });
  }
  return changes;
}

async function applyModels(tx: Database, wanted: Model[]): Promise<Change[]> {
  const { changed, gone } = compare(await tx.select().from(models), wanted, isDeepStrictEqual);
  const changes: Change[] = [];
  for (const { entry, position } of changed) {
    const values = { data: entry, position, version: nextVersion };
    const [row] = await tx
      .insert(models)
      .values({ name: entry.name, ...values })
      .onConflictDoUpdate({ target: models.name, set: values })
      .returning();
    if (row) changes.push(modelChange(row));
  }
  for (const name of gone) {
    await tx.delete(models).where(eq(models.name, name));
    changes.push({ bucket: 'catalog', key: recordKey('model', name), value: null });
  }
  return changes;
}

async function applyProjects(tx: Database, wanted: Project[]): Promise<Change[]> {
  const { changed, gone } = compare(await tx.select().from(projectSettings), wanted, isDeepStrictEqual);
  const changes: Change[] = [];
  for (const { entry, position } of changed) {
    const values = { data: entry, position, version: nextVersion };
    const [row] = await tx
      .insert(projectSettings)
      .values({ name: entry.name, ...values })
      .onConflictDoUpdate({ target: projectSettings.name, set: values })
      .returning();
    if (row) changes.push(projectChange(row));
  }
  for (const name of gone) {
    await tx.delete(projectSettings).where(eq(projectSettings.name, name));
    changes.push({ bucket: 'catalog', key: recordKey('project', name), value: null });
  }
  return changes;
}

/** Finds the entries of a file that differ from the rows in content or position, and the rows that it lacks. */
function compare<Data, Entry extends { name: string }>(
  rows: Row<Data>[],
  wanted: Entry[],
  same: (data: Data, entry: Entry) => boolean,
) {
  const known = new Map(rows.map(row => [row.name, row]));
  const changed = wanted
    .map((entry, position) => ({ entry, position }))
    .filter(({ entry, position }) => {
      const row = known.get(entry.name);
      known.delete(entry.name);
      return !row || row.position !== position || !same(row.data, entry);
    });
  return { changed, gone: [...known.keys()] };
}

function sameProvider(key: Uint8Array) {
  return (stored: StoredProvider, provider: Provider) => isDeepStrictEqual(tryUnseal(key, stored), provider);
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
