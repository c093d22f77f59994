import type { Model, Project, Provider, User } from './schema.ts';
import type { Sealed, Sealer } from './seal.ts';

/** The place of a secret in the workers. */
type SecretReference = { env: string } | { file: string };
/** A secret as stored in SQL and KV: a value is sealed, a reference is not. */
export type StoredSecret = SecretReference | Sealed;

/** A provider as stored in SQL and KV: secret values are sealed, references to secrets are not. */
export type StoredProvider = Omit<Provider, 'apiKey' | 'apiKeys' | 'headers' | 'proxy'> & {
  apiKey?: StoredSecret;
  apiKeys?: (Omit<NonNullable<Provider['apiKeys']>[number], 'key'> & { key: StoredSecret })[];
  headers: Record<string, StoredSecret>;
  proxy?: string | { url: string; username?: string; password?: StoredSecret };
};

/** A provider in the bucket `catalog`. Its secrets are sealed for the workers of its pool. */
export type ProviderRecord = StoredProvider & {
  version: number;
  /** True if the provider is one of the API, and not of gateway.yaml. */
  ofApi?: true;
};

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
export function sealProvider(sealer: Sealer, provider: Provider): StoredProvider {
  const { apiKey, apiKeys, headers, proxy, ...rest } = provider;
  const sealText = (text: string) => sealer.seal(provider.name, text);
  const sealSecret = (secret: SecretReference | { value: string }): StoredSecret =>
    'value' in secret ? sealText(secret.value) : secret;
  return {
    ...rest,
    ...(apiKey && { apiKey: sealSecret(apiKey) }),
    ...(apiKeys && { apiKeys: apiKeys.map(each => ({ ...each, key: sealSecret(each.key) })) }),
    ...(proxy && { proxy: mapPassword(proxy, sealSecret) }),
    headers: mapValues(headers, value => (typeof value === 'string' ? sealText(value) : value)),
  };
}

/** Returns the provider as in its file. @throws Error if a secret was sealed with another key */
export function unsealProvider(sealer: Sealer, stored: StoredProvider): Provider {
  const { apiKey, apiKeys, headers, proxy, ...rest } = stored;
  const unsealText = (sealed: Sealed) => sealer.unseal(stored.name, sealed);
  const unsealSecret = (secret: StoredSecret) =>
    'sealed' in secret ? { value: unsealText(secret) } : secret;
  return {
    ...rest,
    ...(apiKey && { apiKey: unsealSecret(apiKey) }),
    ...(apiKeys && { apiKeys: apiKeys.map(each => ({ ...each, key: unsealSecret(each.key) })) }),
    ...(proxy && { proxy: mapPassword(proxy, unsealSecret) }),
    headers: mapValues(headers, value => ('sealed' in value ? unsealText(value) : value)),
  };
}

/** Returns a stored provider with other texts in place of those that are sealed. */
export function mapSealed<Stored extends StoredProvider>(
  stored: Stored,
  map: (sealed: Sealed) => Sealed,
): Stored {
  const { apiKey, apiKeys, headers, proxy } = stored;
  const mapSecret = (secret: StoredSecret) => ('sealed' in secret ? map(secret) : secret);
  return {
    ...stored,
    ...(apiKey && { apiKey: mapSecret(apiKey) }),
    ...(apiKeys && { apiKeys: apiKeys.map(each => ({ ...each, key: mapSecret(each.key) })) }),
    ...(proxy && { proxy: mapPassword(proxy, mapSecret) }),
    headers: mapValues(headers, mapSecret),
  };
}

type Proxy<Secret> = string | { url: string; username?: string | undefined; password?: Secret | undefined };

/** Returns a proxy with another form of its password. */
export function mapPassword<From, To>(proxy: Proxy<From>, map: (password: From) => To) {
  if (typeof proxy === 'string') return proxy;
  const { url, username, password } = proxy;
  return {
    url,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password: map(password) }),
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
