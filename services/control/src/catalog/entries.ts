import { type Model, recordKey, type StoredProvider } from '@model-gateway/catalog';
import type { CatalogRow } from '../audit/catalog-table.ts';
import type { Change } from '../common/change.ts';
import type { Database } from '../database/database.ts';
import {
  apiModels,
  apiProviders,
  type CatalogRows,
  discoveredModels,
  discoveries,
  models,
  providers,
} from '../database/tables.ts';

/** A provider or a model in force. */
export interface Entry<Data> extends CatalogRow<Data> {
  managedBy: 'file' | 'api' | 'discovery';
}

/** The two tables of providers or models. */
export interface EntryTables<Data> {
  ofFile: CatalogRows<Data>;
  ofApi: CatalogRows<Data>;
}

export const providerTables: EntryTables<StoredProvider> = { ofFile: providers, ofApi: apiProviders };
export const modelTables: EntryTables<Model> = { ofFile: models, ofApi: apiModels };

/** The last list of models of a provider. */
export interface DiscoveredList {
  provider: string;
  /** The number of models in it. */
  models: number;
  /** Null before the first list. */
  refreshedAt: Date | null;
  /** The reason why the last refresh failed; null if it did not. */
  error: string | null;
}

/** The providers and models in force. */
export interface Entries {
  providers: Entry<StoredProvider>[];
  /** Those of gateway.yaml and of the API. */
  models: Entry<Model>[];
  /** Those that providers list themselves. */
  discovered: Entry<Model>[];
  /** The last lists of the providers whose models are discovered. */
  lists: DiscoveredList[];
}

/** Returns the entries in force: those of gateway.yaml, and after them those of the API. */
export async function readEntries<Data>(
  db: Database,
  { ofFile, ofApi }: EntryTables<Data>,
): Promise<Entry<Data>[]> {
  const stated = await db.select().from(ofFile).orderBy(ofFile.position);
  const own = await db.select().from(ofApi).orderBy(ofApi.position, ofApi.name);
  return [
    ...stated.map(row => ({ ...row, managedBy: 'file' as const })),
    ...own.map(row => ({ ...row, managedBy: 'api' as const })),
  ];
}

export async function readAllEntries(db: Database): Promise<Entries> {
  const stated = {
    providers: await readEntries(db, providerTables),
    models: await readEntries(db, modelTables),
  };
  const rows = await db.select().from(discoveredModels).orderBy(discoveredModels.position);
  const discovered = rows.map(row => ({ ...row, managedBy: 'discovery' as const }));
  return { ...stated, discovered, lists: await readLists(db) };
}

/** Returns the change that publishes a provider. */
export function providerChange({
  name,
  data,
  version,
  managedBy,
}: CatalogRow<StoredProvider> & { managedBy?: Entry<StoredProvider>['managedBy'] }): Change {
  const ofApi = managedBy === 'api' && { ofApi: true as const };
  const value = { ...data, ...ofApi, version };
  return { bucket: 'catalog', key: recordKey('provider', name), value };
}

/** Returns the change that publishes a model. */
export function modelChange({ name, data, version, position, createdAt }: CatalogRow<Model>): Change {
  const created = Math.floor(createdAt.getTime() / 1000);
  return {
    bucket: 'catalog',
    key: recordKey('model', name),
    value: { ...data, version, position, created },
  };
}

/** Returns the last list of each provider whose models are discovered. */
export async function readLists(db: Database): Promise<DiscoveredList[]> {
  const rows = await db.select().from(discoveries).orderBy(discoveries.provider);
  return rows.map(({ provider, names, refreshedAt, error }) => ({
    ...{ provider, models: names.length, refreshedAt, error },
  }));
}
