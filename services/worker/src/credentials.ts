import { readFileSync } from 'node:fs';
import { GatewayError } from '@model-gateway/canonical';
import {
  type Catalog,
  keysOf,
  type Provider,
  type Sealer,
  type StoredProvider,
  unsealProvider,
} from '@model-gateway/catalog';
import type { ConnectionSettings } from './upstream-connections.ts';

/** The secrets of requests to a provider. */
export interface Credential {
  /** Undefined if the provider needs none. */
  apiKey: string | undefined;
  /** Headers of its configuration, with names in lower case. */
  headers: Record<string, string>;
  /** Its connection, if it has settings for it. */
  via?: ConnectionSettings;
}

/** Returns a provider with its secrets. @throws GatewayError of kind `upstream` if one is not sealed for this pool */
export function openSecrets(sealer: Sealer, stored: StoredProvider): Provider {
  try {
    return unsealProvider(sealer, stored);
  } catch (cause) {
    const message = `The provider '${stored.name}' is disabled: ${(cause as Error).message}.`;
    throw new GatewayError('upstream', message, { refusedKey: true }, { cause });
  }
}

/** Reads the API key of this name, and the headers. @throws GatewayError of kind `upstream` that names what is not set */
export function readCredential(provider: Provider, key: string | undefined): Credential {
  const { name, headers } = provider;
  const read = Object.entries(headers).map(([header, value]) => [
    header.toLowerCase(),
    typeof value === 'string' ? value : readSecret(value, name, `its header ${header}`),
  ]);
  const via = readConnection(provider);
  return {
    apiKey: key === undefined ? undefined : readApiKey(provider, key),
    headers: Object.fromEntries(read),
    ...(via && { via }),
  };
}

/** Reads the password of a provider's proxy, and its certificates; undefined if it has no settings for its way. */
function readConnection({ name, proxy, tls }: Provider): ConnectionSettings | undefined {
  if (proxy === undefined && tls === undefined) return undefined;
  const { ca, cert, key, serverName } = tls ?? {};
  return {
    ...(proxy !== undefined && { proxy: typeof proxy === 'string' ? proxy : proxyUrl(proxy, name) }),
    ...(tls && {
      tls: {
        ...(ca && { ca: readSecret(ca, name, 'its file tls.ca') }),
        ...(cert && { cert: readSecret(cert, name, 'its file tls.cert') }),
        ...(key && { key: readSecret(key, name, 'its file tls.key') }),
        ...(serverName && { serverName }),
      },
    }),
  };
}

function proxyUrl(proxy: Exclude<NonNullable<Provider['proxy']>, string>, provider: string): string {
  const url = new URL(proxy.url);
  url.username = encodeURIComponent(proxy.username ?? '');
  if (proxy.password)
    url.password = encodeURIComponent(readSecret(proxy.password, provider, 'the password of its proxy'));
  return url.href;
}

/** Reads an API key from its value, variable or file; undefined if the provider needs none. */
function readApiKey(provider: Provider, key: string): string | undefined {
  const at = provider.apiKeys ? keysOf(provider).findIndex(({ name }) => name === key) : -1;
  // The key of a newer catalog may have another name.
  const secret = provider.apiKeys ? provider.apiKeys[Math.max(0, at)]?.key : provider.apiKey;
  return secret && readSecret(secret, provider.name, 'its API key');
}

type Secret = NonNullable<Provider['apiKey']>;

/** @throws GatewayError of kind `upstream` if the variable or the file holds nothing */
function readSecret(secret: Secret, provider: string, what: string): string {
  if ('value' in secret) return secret.value;
  const value = 'env' in secret ? process.env[secret.env] : readSecretFile(secret.file);
  if (value) return value;
  const message = `The provider '${provider}' is disabled: ${what} is not set.`;
  // Another API key of the provider may be set.
  throw new GatewayError('upstream', message, { refusedKey: true });
}

/** Returns the secrets of a pool's providers that this process does not have, in words and without values. */
export function missingKeys(catalog: Catalog, pool: string, sealer: Sealer): string[] {
  return catalog
    .providers()
    .filter(provider => provider.pool === pool)
    .flatMap(provider => [
      ...closedSecrets(sealer, provider),
      ...namedSecrets(provider).flatMap(({ what, secret }) => {
        const reason = missing(secret);
        return reason ? [`${provider.name} has no ${what}: ${reason}`] : [];
      }),
    ]);
}

/** Returns the reason why secrets of a provider do not open, if they do not. */
function closedSecrets(sealer: Sealer, provider: StoredProvider): string[] {
  try {
    unsealProvider(sealer, provider);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function namedSecrets({ apiKey, apiKeys, headers: stored }: StoredProvider) {
  const key = apiKey ? [{ what: 'API key', secret: apiKey }] : [];
  const keys = (apiKeys ?? []).map(({ key: secret, name }, at) => ({
    ...{ what: `API key ${name ?? at + 1}`, secret },
  }));
  const headers = Object.entries(stored).map(([name, secret]) => ({
    ...{ what: `header ${name}`, secret },
  }));
  return [...key, ...keys, ...headers];
}

function missing(secret: NonNullable<StoredProvider['apiKey']>): string | undefined {
  if ('env' in secret) return process.env[secret.env] ? undefined : `${secret.env} is not set`;
  if ('file' in secret) return readSecretFile(secret.file) ? undefined : `${secret.file} is not readable`;
  return undefined;
}

function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
