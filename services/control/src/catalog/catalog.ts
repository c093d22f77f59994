import { Catalog, type CatalogFile, recordKey, type Sealer } from '@model-gateway/catalog';
import { applyTable, compareTable, lockCatalog } from '../audit/catalog-table.ts';
import { type Actor, withoutRequest } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import type { Database } from '../database/database.ts';
import {
  allGroupChanges,
  applyGroups,
  fileTable,
  groupsOfApi,
  projectGroups,
  userGroups,
} from '../people/token-groups.ts';
import { entriesOfApi, OwnedByDatabase } from './adopt.ts';
import { modelChange, providerChange, readAllEntries } from './entries.ts';
import { type EntryKind, fileTableOf, modelKind, providerKind } from './kinds.ts';
import { settleDiscovered } from './settle.ts';

/**
 * Writes the catalog file to the database, in one transaction that touches only what differs. Returns the changes, or
 * undefined if the file is superseded by another control's file with a different catalog.
 * @throws OwnedByDatabase if it states entries of the database
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
    await assertOwned(tx, sealer, file);
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

/** @throws OwnedByDatabase if the file states entries of the database */
async function assertOwned(tx: Database, sealer: Sealer, file: CatalogFile): Promise<void> {
  const taken = [
    ...(await entriesOfApi(tx, providerKind(sealer), file.providers)),
    ...(await entriesOfApi(tx, modelKind, file.models)),
    ...(await groupsOfApi(tx, projectGroups, file.projects)),
    ...(await groupsOfApi(tx, userGroups, file.users)),
  ];
  if (taken.length > 0) throw new OwnedByDatabase(taken);
}

/** Writes the entries of the file. */
async function applyEntries<Data extends object, Entry extends { name: string }>(
  tx: Database,
  kind: EntryKind<Data, Entry>,
  wanted: Entry[],
  actor: Actor,
): Promise<Change[]> {
  const { written, gone } = await applyTable(tx, fileTableOf(kind), wanted, actor);
  const removals = gone.map(
    (name): Change => ({
      ...{ bucket: 'catalog', key: recordKey(kind.kind, name), value: null },
    }),
  );
  return [...written.map(row => kind.toChange(row)), ...removals];
}
