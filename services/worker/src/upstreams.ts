import { readFileSync } from 'node:fs';
import {
  GatewayError,
  type Operation,
  type OperationRequest,
  operationLabels,
  type WireFormat,
} from '@model-gateway/canonical';
import {
  batchOf,
  type Catalog,
  formatFor,
  type Provider,
  type ProviderRecord,
  providerFormats,
  type RouteQuery,
  takesText,
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
  /** The dialect of the client's format if the provider speaks it, else of the provider's preferred format. */
  dialect: Dialect<OperationRequest>;
  /** True if the provider is the vendor of its format. */
  original: boolean;
  /** The most inputs, or documents to rank, in one request. */
  batch: number;
}

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

  /** @throws GatewayError of kind `upstream`, or `not-found` if the operation is not supported */
  get(name: string, asking: RouteQuery, now: number): Upstream {
    const record = this.#find(name);
    const { operation } = asking;
    const format = formatFor(record, asking);
    if (!format) throw unable(operation);
    const key = JSON.stringify([name, operation, format]);
    const cached = this.#cache.get(key);
    if (cached?.version === record.version && now - cached.readAt < freshMs) return cached.upstream;
    const upstream = this.#make(record, operation, format);
    this.#cache.set(key, { upstream, version: record.version, readAt: now });
    return upstream;
  }

  /** Returns the address for realtime sessions. @throws GatewayError as `get` does */
  address(name: string): Address {
    const record = this.#find(name);
    if (providerFormats(record, 'realtime').length === 0) throw unable('realtime');
    return this.#addressOf(unsealProvider(this.#masterKey, record), 'realtime');
  }

  /** True if the provider is sent the client's own request text. */
  takesText(name: string, asking: RouteQuery): boolean {
    const record = this.#catalog.provider(name);
    return record !== undefined && takesText(record, asking);
  }

  #find(name: string): ProviderRecord {
    const record = this.#catalog.provider(name);
    if (!record) throw new GatewayError('upstream', `The provider '${name}' is not in the catalog.`);
    return record;
  }

  #make(record: ProviderRecord, operation: Operation, format: WireFormat): Upstream {
    const dialect = findDialect(operation, format);
    if (!dialect) throw unable(operation);
    const provider = unsealProvider(this.#masterKey, record);
    return {
      ...this.#addressOf(provider, format),
      dialect,
      original: providerProfiles[provider.kind].original ?? false,
      batch: batchOf(provider, operation),
    };
  }

  #addressOf(provider: Provider, format: WireFormat): Address {
    const profile = providerProfiles[provider.kind];
    const { origin, pathname } = new URL(provider.baseUrl ?? profile.baseUrl ?? failNoUrl(provider.name));
    const apiKey = readApiKey(provider);
    return {
      provider: provider.name,
      origin,
      path: pathname.replace(/\/$/, '') + (profile.paths?.[format] ?? ''),
      headers: { ...(apiKey && profile.credential(apiKey)), ...lowerCased(provider.headers) },
    };
  }
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
