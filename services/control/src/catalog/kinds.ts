import { isDeepStrictEqual } from 'node:util';
import {
  type Model,
  mapPassword,
  type Provider,
  type Sealer,
  type StoredProvider,
  type StoredSecret,
  sealProvider,
  unsealProvider,
} from '@model-gateway/catalog';
import type { CatalogRow, CatalogTable } from '../audit/catalog-table.ts';
import type { Change } from '../common/change.ts';
import {
  type Entry as EntryInForce,
  type EntryTables,
  modelChange,
  modelTables,
  providerChange,
  providerTables,
} from './entries.ts';
import { showModel, showProvider } from './shown.ts';

/** Providers or models: their tables, and how an entry is stored, compared, shown and published. */
export interface EntryKind<Data extends object, Entry extends { name: string }>
  extends Omit<CatalogTable<Data, Entry>, 'table'>,
    EntryTables<Data> {
  kind: 'provider' | 'model';
  toShown(data: Data): object;
  /** Returns an entry with its secrets, for a comparison; without those that cannot be read. */
  toPlain(data: Data): object;
  toChange(row: CatalogRow<Data> & { managedBy?: EntryInForce<Data>['managedBy'] }): Change;
}

export const providerKind = (sealer: Sealer): EntryKind<StoredProvider, Provider> => ({
  kind: 'provider',
  ...providerTables,
  toData: provider => sealProvider(sealer, provider),
  isSame: (stored, provider) => isDeepStrictEqual(tryUnseal(sealer, stored), provider),
  toShown: ({ apiKey, apiKeys, headers, proxy, ...provider }) => ({
    ...provider,
    ...(apiKey && { apiKey: shownSecret(apiKey) }),
    ...(apiKeys && { apiKeys: apiKeys.map(each => ({ ...each, key: shownSecret(each.key) })) }),
    ...(proxy && { proxy: mapPassword(proxy, shownSecret) }),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shownSecret(value)])),
  }),
  toPlain: stored =>
    tryUnseal(sealer, stored) ?? {
      ...showProvider(stored),
      ...{ apiKey: undefined, apiKeys: undefined, headers: {}, proxy: undefined },
    },
  toChange: providerChange,
});

export const modelKind: EntryKind<Model, Model> = {
  kind: 'model',
  ...modelTables,
  toData: model => model,
  isSame: isDeepStrictEqual,
  toShown: showModel,
  toPlain: showModel,
  toChange: modelChange,
};

/** Returns the table of the entries of gateway.yaml. */
export function fileTableOf<Data extends object, Entry extends { name: string }>(
  kind: EntryKind<Data, Entry>,
): CatalogTable<Data, Entry> {
  return { ...kind, table: kind.ofFile };
}

/** Stands for a secret in the audit log, and in the differences of two entries. */
export const hidden = '(secret)';

function shownSecret(secret: StoredSecret): StoredSecret | string {
  return 'sealed' in secret ? hidden : secret;
}

/** Returns undefined if a secret is sealed under another master key. */
export function tryUnseal(sealer: Sealer, stored: StoredProvider): Provider | undefined {
  try {
    return unsealProvider(sealer, stored);
  } catch {
    return undefined;
  }
}
