import { type Model, recordKey, type StoredProvider } from '@model-gateway/catalog';
import type { CatalogRow } from '../catalog-table.ts';
import type { Change } from '../change.ts';
import type { Database } from '../database/database.ts';
import { apiModels, apiProviders, type CatalogRows, models, providers } from '../database/tables.ts';

/** A provider or a model in force. */
export interface Entry<Data> extends CatalogRow<Data> {
  managedBy: 'file' | 'api';
  /** True if the API has an entry with the name of this one of gateway.yaml. It holds again once that leaves the file. */
  overridden: boolean;
}

/** The two tables of providers or models. */
export interface EntryTables<Data> {
  ofFile: CatalogRows<Data>;
  ofApi: CatalogRows<Data>;
}

export const providerTables: EntryTables<StoredProvider> = { ofFile: providers, ofApi: apiProviders };
export const modelTables: EntryTables<Model> = { ofFile: models, ofApi: apiModels };

/** The providers and models in force. */
export interface Entries {
  providers: Entry<StoredProvider>[];
  models: Entry<Model>[];
}

/** Returns the entries in force: those of gateway.yaml, and after them those of the API with other names. */
export async function readEntries<Data>(
  db: Database,
  { ofFile, ofApi }: EntryTables<Data>,
): Promise<Entry<Data>[]> {
  const stated = await db.select().from(ofFile).orderBy(ofFile.position);
  const own = await db.select().from(ofApi).orderBy(ofApi.position, ofApi.name);
  const namesOf = (rows: { name: string }[]) => new Set(rows.map(({ name }) => name));
  const [inFile, inApi] = [namesOf(stated), namesOf(own)];
  return [
    ...stated.map(row => ({ ...row, managedBy: 'file' as const, overridden: inApi.has(row.name) })),
    ...own
      .filter(({ name }) => !inFile.has(name))
      .map(row => ({ ...row, managedBy: 'api' as const, overridden: false })),
  ];
}

export async function readAllEntries(db: Database): Promise<Entries> {
  return {
    providers: await readEntries(db, providerTables),
    models: await readEntries(db, modelTables),
  };
}

/** Returns the change that publishes a provider. */
export function providerChange({ name, data, version }: CatalogRow<StoredProvider>): Change {
  return { bucket: 'catalog', key: recordKey('provider', name), value: { ...data, version } };
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
