import { Catalog, type CatalogFile, recordKey, type Sealer } from '@model-gateway/catalog';
import { inArray } from 'drizzle-orm';
import { applyTable, compareTable, lockCatalog } from '../audit/catalog-table.ts';
import { type Actor, withoutRequest } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import type { Database } from '../database/database.ts';
import { nextVersion } from '../database/tables.ts';
import {
  allGroupChanges,
  applyGroups,
  fileTable,
  projectGroups,
  userGroups,
} from '../people/token-groups.ts';
import { modelChange, providerChange, readAllEntries } from './entries.ts';
import { type EntryKind, fileTableOf, modelKind, providerKind } from './kinds.ts';
import { settleDiscovered } from './settle.ts';

/**
 * Writes the catalog file to the database, in one transaction that touches only what differs. Returns the changes, or
 * undefined if the file is superseded by another control's file with a different catalog.
 */
export async function applyCatalog(
  db: Database,
  sealer: Sealer,
  file: CatalogFile,
  /** The path of the file. */
  path: string,
  isSuperseded: (tx: Database) => Promise<boolean> = async () => false,
): Promise<Change[] | undefined> {
  return db.transaction(async tx => {
    await lockCatalog(tx);
    if (await isSuperseded(tx)) return (await differs(tx, sealer, file)) ? undefined : [];
    const actor = withoutRequest('file', path);
    return [
      ...(await applyEntries(tx, providerKind(sealer), file.providers, actor)),
      ...(await applyEntries(tx, modelKind, file.models, actor)),
      ...(await applyGroups(tx, projectGroups, file.projects, actor)),
      ...(await applyGroups(tx, userGroups, file.users, actor)),
      ...(await settleDiscovered(tx)),
    ];
  });
}

/** Reads the whole catalog from the database. */
export async function wholeCatalog(db: Database): Promise<Change[]> {
  const { providers, models, discovered } = await readAllEntries(db);
  return [
    ...providers.map(providerChange),
    ...[...models, ...discovered].map(modelChange),
    ...(await allGroupChanges(db, projectGroups)),
    ...(await allGroupChanges(db, userGroups)),
  ];
}

/** Reads the projects and users from the database. */
export async function readGroups(db: Database): Promise<Catalog> {
  const groups = new Catalog();
  const changes = [...(await allGroupChanges(db, projectGroups)), ...(await allGroupChanges(db, userGroups))];
  for (const { key, value } of changes) groups.put(key, value);
  return groups;
}

async function differs(tx: Database, sealer: Sealer, file: CatalogFile): Promise<boolean> {
  const found = [
    await compareTable(tx, fileTableOf(providerKind(sealer)), file.providers),
    await compareTable(tx, fileTableOf(modelKind), file.models),
    await compareTable(tx, fileTable(projectGroups), file.projects),
    await compareTable(tx, fileTable(userGroups), file.users),
  ];
  return found.some(({ changed, gone }) => changed.length > 0 || gone.length > 0);
}

/** Writes the entries of the file. Where one has left it, an entry of the API with its name holds again. */
async function applyEntries<Data extends object, Entry extends { name: string }>(
  tx: Database,
  kind: EntryKind<Data, Entry>,
  wanted: Entry[],
  actor: Actor,
): Promise<Change[]> {
  const { ofApi, toChange } = kind;
  const { written, gone } = await applyTable(tx, fileTableOf(kind), wanted, actor);
  // Its version must be above that of the entry that is gone.
  const again =
    gone.length > 0
      ? await tx.update(ofApi).set({ version: nextVersion }).where(inArray(ofApi.name, gone)).returning()
      : [];
  const removals = gone
    .filter(name => again.every(row => row.name !== name))
    .map((name): Change => ({ bucket: 'catalog', key: recordKey(kind.kind, name), value: null }));
  const changed = [...written, ...again.map(row => ({ ...row, managedBy: 'api' as const }))];
  return [...changed.map(row => toChange(row)), ...removals];
}
