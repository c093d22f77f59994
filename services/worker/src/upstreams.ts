import { readFileSync } from 'node:fs';
import {
  GatewayError,
  type Operation,
  type OperationRequest,
  operationLabels,
  type WireFormat,
} from '@model-gateway/canonical';
import {
  type Asking,
  batchOf,
  type Catalog,
  formatFor,
  type Provider,
  type ProviderRecord,
  providerFormats,
  takesText,
  unsealProvider,
} from '@model-gateway/catalog';
import { type Dialect, findDialect } from './dialects/index.ts';
import { providerProfiles } from './providers/index.ts';

/** Where a provider is, its credential included. */
export interface Place {
  provider: string;
  origin: string;
  /** Of the base URL, without a slash at the end. */
  path: string;
  headers: Record<string, string>;
}

/** How a provider is called there. */
export interface Upstream extends Place {
  /** The client's own if it speaks that. */
  dialect: Dialect<OperationRequest>;
  /** It is the vendor whose format it speaks. */
  original: boolean;
  /** The most inputs of one request, or documents to rank. */
  batch: number;
}

/** How long a credential read from a file is good for, so that a rotated one is picked up. */
const freshMs = 30_000;

interface Kept {
  upstream: Upstream;
  version: number;
  readAt: number;
}

/** The catalog's providers, made ready to be called. */
export class Upstreams {
  readonly #catalog: Catalog;
  readonly #masterKey: Uint8Array;
  readonly #kept = new Map<string, Kept>();

  constructor(catalog: Catalog, masterKey: Uint8Array) {
    this.#catalog = catalog;
    this.#masterKey = masterKey;
  }

  /** @throws GatewayError of kind `upstream` for a provider that cannot be called, saying why */
  get(name: string, asking: Asking, now: number): Upstream {
    const record = this.#find(name);
    const { operation } = asking;
    const format = formatFor(record, asking);
    if (!format) throw unable(operation);
    const key = JSON.stringify([name, operation, format]);
    const kept = this.#kept.get(key);
    if (kept?.version === record.version && now - kept.readAt < freshMs) return kept.upstream;
    const upstream = this.#make(record, operation, format);
    this.#kept.set(key, { upstream, version: record.version, readAt: now });
    return upstream;
  }

  /** Where a provider holds realtime sessions. @throws GatewayError as `get` does */
  place(name: string): Place {
    const record = this.#find(name);
    if (providerFormats(record, 'realtime').length === 0) throw unable('realtime');
    return this.#place(unsealProvider(this.#masterKey, record), 'realtime');
  }

  /** Whether a request's own text is what a provider is sent. */
  takesText(name: string, asking: Asking): boolean {
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
      ...this.#place(provider, format),
      dialect,
      original: providerProfiles[provider.kind].original ?? false,
      batch: batchOf(provider, operation),
    };
  }

  #place(provider: Provider, format: WireFormat): Place {
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
  return new GatewayError('not-found', `This model's upstream cannot ${operationLabels[operation]}.`);
}

function failNoUrl(provider: string): never {
  throw new GatewayError('upstream', `The provider '${provider}' has no base URL.`);
}

/** The credential, wherever it is kept; undefined for a provider that needs none. */
function readApiKey({ name, apiKey }: Provider): string | undefined {
  if (!apiKey) return undefined;
  if ('value' in apiKey) return apiKey.value;
  const value = 'env' in apiKey ? process.env[apiKey.env] : readSecret(apiKey.file);
  if (value) return value;
  throw new GatewayError('upstream', `The provider '${name}' is disabled: its credential is not set.`);
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
