import type { Model, Project, Provider, User } from './schema.ts';
import { type Sealed, seal, unseal } from './seal.ts';

/** A provider as stored in SQL and KV: secret values are sealed, references to secrets are not. */
export type StoredProvider = Omit<Provider, 'apiKey' | 'headers'> & {
  apiKey?: { env: string } | { file: string } | Sealed;
  headers: Record<string, Sealed>;
};

/** A provider in the bucket `catalog`. */
export type ProviderRecord = StoredProvider & { version: number };

/** A model in the bucket `catalog`. */
export type ModelRecord = Model & {
  version: number;
  /** Position in the file. */
  position: number;
  /** Time when control first read it, in seconds since 1970. */
  created: number;
};

/** A project in the bucket `catalog`. */
export type ProjectRecord = Project & { version: number };

/** A user in the bucket `catalog`. */
export type UserRecord = User & { version: number };

/** Seals a provider's secrets and header values: some vendors take a credential in a header of their own. */
export function sealProvider(key: Uint8Array, provider: Provider): StoredProvider {
  const { apiKey, headers, ...rest } = provider;
  const sealText = (text: string) => seal(key, provider.name, text);
  return {
    ...rest,
    ...(apiKey && { apiKey: 'value' in apiKey ? sealText(apiKey.value) : apiKey }),
    headers: mapValues(headers, sealText),
  };
}

/** Returns the provider as in its file. @throws Error if a secret was sealed with another master key */
export function unsealProvider(key: Uint8Array, stored: StoredProvider): Provider {
  const { apiKey, headers, ...rest } = stored;
  const unsealText = (sealed: Sealed) => unseal(key, stored.name, sealed);
  return {
    ...rest,
    ...(apiKey && { apiKey: 'sealed' in apiKey ? { value: unsealText(apiKey) } : apiKey }),
    headers: mapValues(headers, unsealText),
  };
}

function mapValues<From, To>(values: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

const kinds = ['provider', 'model', 'project', 'user'] as const;
export type RecordKind = (typeof kinds)[number];

/** Returns the key `<kind>.<base64url of the name>`: names may contain characters that keys may not. */
export function recordKey(kind: RecordKind, name: string): string {
  return `${kind}.${Buffer.from(name).toString('base64url')}`;
}

/** Parses a key of {@link recordKey}; returns undefined for any other key. */
export function parseRecordKey(key: string): { kind: RecordKind; name: string } | undefined {
  const dot = key.indexOf('.');
  const kind = kinds.find(name => name === key.slice(0, dot));
  return kind && { kind, name: Buffer.from(key.slice(dot + 1), 'base64url').toString() };
}
