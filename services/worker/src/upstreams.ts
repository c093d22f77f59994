import { readFileSync } from 'node:fs';
import {
  GatewayError,
  type Operation,
  type OperationRequest,
  operationLabels,
  type Route,
  type WireFormat,
} from '@model-gateway/canonical';
import {
  batchOf,
  type Catalog,
  type Provider,
  type ProviderRecord,
  providerFormats,
  unsealProvider,
} from '@model-gateway/catalog';
import { type Dialect, findDialect } from './dialects/index.ts';
import { providerProfiles } from './providers/index.ts';

/** A provider's address, with the headers of its credential. */
export interface Address {
  provider: string;
  origin: string;
  /** Path of the base URL, without a trailing slash. */
  path: string;
  headers: Record<string, string>;
}

/** A provider's address and how to call it. */
export interface Upstream extends Address {
  /** The dialect of the route's format. */
  dialect: Dialect<OperationRequest>;
  /** True if the provider is the vendor of its format. */
  original: boolean;
  /** The most inputs, or documents to rank, in one request. */
  batch: number;
}

/** Longest wait for a version of a provider that the ingress has read already, in milliseconds. */
const behindMs = 1_000;
/** Time for which a credential is cached, so that a rotated one is picked up from its file. */
const freshMs = 30_000;

interface Cached {
  upstream: Upstream;
  version: number;
  readAt: number;
}

/** Creates and caches upstreams for the catalog's providers. */
export class Upstreams {
  readonly #catalog: Catalog;
  readonly #masterKey: Uint8Array;
  readonly #cache = new Map<string, Cached>();

  constructor(catalog: Catalog, masterKey: Uint8Array) {
    this.#catalog = catalog;
    this.#masterKey = masterKey;
  }

  /**
   * Looks up the address and the credential of a route. Waits for its provider's version if this process has not read it
   * yet. @throws GatewayError of kind `upstream`
   */
  async of(route: Route, operation: Operation): Promise<Upstream> {
    const record = await this.#catalog.providerOf(route.provider, route.version, behindMs);
    if (!record) throw unknownProvider(route.provider);
    const now = Date.now();
    const key = JSON.stringify([route.provider, route.key, operation, route.format]);
    const cached = this.#cache.get(key);
    if (cached?.version === record.version && now - cached.readAt < freshMs) return cached.upstream;
    const upstream = this.#make(record, operation, route);
    this.#cache.set(key, { upstream, version: record.version, readAt: now });
    return upstream;
  }

  /** Returns the address for realtime sessions. @throws GatewayError as `of` does, and `not-found` without such an API */
  address(name: string): Address {
    const record = this.#catalog.provider(name);
    if (!record) throw unknownProvider(name);
    if (providerFormats(record, 'realtime').length === 0) throw unable('realtime');
    const provider = unsealProvider(this.#masterKey, record);
    return this.#addressOf(provider, 'realtime', readApiKey(provider));
  }

  #make(record: ProviderRecord, operation: Operation, { format, key }: Route): Upstream {
    const dialect = findDialect(operation, format);
    if (!dialect) throw unable(operation);
    const provider = unsealProvider(this.#masterKey, record);
    return {
      ...this.#addressOf(provider, format, key === undefined ? undefined : readApiKey(provider)),
      dialect,
      original: providerProfiles[provider.kind].original ?? false,
      batch: batchOf(provider, operation),
    };
  }

  #addressOf(provider: Provider, format: WireFormat, apiKey: string | undefined): Address {
    const profile = providerProfiles[provider.kind];
    const { origin, pathname } = new URL(provider.baseUrl ?? profile.baseUrl ?? failNoUrl(provider.name));
    return {
      provider: provider.name,
      origin,
      path: pathname.replace(/\/$/, '') + (profile.paths?.[format] ?? ''),
      headers: { ...(apiKey && profile.credential(apiKey)), ...lowerCased(provider.headers) },
    };
  }
}

export function unknownProvider(name: string): GatewayError {
  return new GatewayError('upstream', `The provider '${name}' is not in the catalog.`);
}

export function unable(operation: Operation): GatewayError {
  return new GatewayError(
    'not-found',
    `This model's upstream does not support ${operationLabels[operation]}.`,
  );
}

function failNoUrl(provider: string): never {
  throw new GatewayError('upstream', `The provider '${provider}' has no base URL.`);
}

/** Reads the API key from its value, variable or file; undefined if the provider needs none. */
function readApiKey({ name, apiKey }: Provider): string | undefined {
  if (!apiKey) return undefined;
  if ('value' in apiKey) return apiKey.value;
  const value = 'env' in apiKey ? process.env[apiKey.env] : readSecret(apiKey.file);
  if (value) return value;
  throw new GatewayError('upstream', `The provider '${name}' is disabled: its API key is not set.`);
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function readSecret(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
