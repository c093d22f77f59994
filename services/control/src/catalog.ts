import { isDeepStrictEqual } from 'node:util';
import {
  Catalog,
  type CatalogFile,
  type Model,
  type Provider,
  recordKey,
  type StoredProvider,
  sealProvider,
  unsealProvider,
} from '@model-gateway/catalog';
import { type Actor, withoutRequest } from './audit/record.ts';
import {
  applyTable,
  type CatalogRow,
  type CatalogTable,
  compareTable,
  lockCatalog,
} from './catalog-table.ts';
import type { Change } from './change.ts';
import type { Database } from './database/database.ts';
import { models, providers } from './database/tables.ts';
import { allGroupChanges, applyGroups, fileTable, projectGroups, userGroups } from './token-groups.ts';

/**
 * Writes the catalog file to the database, in one transaction that touches only what differs. Returns the changes, or
 * undefined if the file is superseded by another control's file with a different catalog.
 */
export async function applyCatalog(
  db: Database,
  key: Uint8Array,
  file: CatalogFile,
  /** The path of the file. */
  path: string,
  isSuperseded: (tx: Database) => Promise<boolean> = async () => false,
): Promise<Change[] | undefined> {
  return db.transaction(async tx => {
    await lockCatalog(tx);
    if (await isSuperseded(tx)) return (await differs(tx, key, file)) ? undefined : [];
    const actor = withoutRequest('file', path);
    return [
      ...(await applyEntries(tx, providerTable(key), file.providers, providerChange, actor)),
      ...(await applyEntries(tx, modelTable, file.models, modelChange, actor)),
      ...(await applyGroups(tx, projectGroups, file.projects, actor)),
      ...(await applyGroups(tx, userGroups, file.users, actor)),
    ];
  });
}

/** Reads the whole catalog from the database. */
export async function wholeCatalog(db: Database): Promise<Change[]> {
  return [
    ...(await db.select().from(providers)).map(providerChange),
    ...(await db.select().from(models)).map(modelChange),
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

const providerTable = (key: Uint8Array): CatalogTable<StoredProvider, Provider> => ({
  kind: 'provider',
  table: providers,
  toData: provider => sealProvider(key, provider),
  isSame: (stored, provider) => isDeepStrictEqual(tryUnseal(key, stored), provider),
  toShown: ({ apiKey, headers, ...provider }) => ({
    ...provider,
    ...(apiKey && { apiKey: 'sealed' in apiKey ? hidden : apiKey }),
    headers: Object.fromEntries(Object.keys(headers).map(name => [name, hidden])),
  }),
});
/** Stands for a secret in the audit log. */
const hidden = '(secret)';
const modelTable: CatalogTable<Model, Model> = {
  kind: 'model',
  table: models,
  toData: model => model,
  isSame: isDeepStrictEqual,
};

async function differs(tx: Database, key: Uint8Array, file: CatalogFile): Promise<boolean> {
  const found = [
    await compareTable(tx, providerTable(key), file.providers),
    await compareTable(tx, modelTable, file.models),
    await compareTable(tx, fileTable(projectGroups), file.projects),
    await compareTable(tx, fileTable(userGroups), file.users),
  ];
  return found.some(({ changed, gone }) => changed.length > 0 || gone.length > 0);
}

async function applyEntries<Data extends object, Entry extends { name: string }>(
  tx: Database,
  table: CatalogTable<Data, Entry>,
  wanted: Entry[],
  toChange: (row: CatalogRow<Data>) => Change,
  actor: Actor,
): Promise<Change[]> {
  const { written, gone } = await applyTable(tx, table, wanted, actor);
  const removals = gone.map(
    (name): Change => ({ bucket: 'catalog', key: recordKey(table.kind, name), value: null }),
  );
  return [...written.map(toChange), ...removals];
}

/** Returns undefined if the secret is sealed under another master key; the secret of the file is then sealed again. */
function tryUnseal(key: Uint8Array, stored: StoredProvider): Provider | undefined {
  try {
    return unsealProvider(key, stored);
  } catch {
    return undefined;
  }
}

function providerChange({ name, data, version }: CatalogRow<StoredProvider>): Change {
  return { bucket: 'catalog', key: recordKey('provider', name), value: { ...data, version } };
}

function modelChange({ name, data, version, position, createdAt }: CatalogRow<Model>): Change {
  const created = Math.floor(createdAt.getTime() / 1000);
  return {
    bucket: 'catalog',
    key: recordKey('model', name),
    value: { ...data, version, position, created },
  };
}
