import { readFileSync } from 'node:fs';
import { GatewayError, type WireFormat } from '@model-gateway/canonical';
import {
  type Catalog,
  formatFor,
  type Provider,
  type ProviderRecord,
  unsealProvider,
} from '@model-gateway/catalog';
import { type Dialect, dialects } from './dialects/index.ts';
import { providerProfiles } from './providers/index.ts';

/** Where and how a provider is called, its credential included. */
export interface Upstream {
  provider: string;
  /** The client's own if it speaks that. */
  dialect: Dialect;
  /** It is the vendor whose format it speaks. */
  original: boolean;
  origin: string;
  /** Of the base URL, without a slash at the end. */
  path: string;
  headers: Record<string, string>;
}

/** How long a credential read from a file is good for, so that a rotated one is picked up. */
const freshMs = 30_000;

interface Kept {
  upstream: Upstream;
  version: number;
  readAt: number;
}

/** The catalogue's providers, made ready to be called. */
export class Upstreams {
  readonly #catalog: Catalog;
  readonly #masterKey: Uint8Array;
  readonly #kept = new Map<string, Kept>();

  constructor(catalog: Catalog, masterKey: Uint8Array) {
    this.#catalog = catalog;
    this.#masterKey = masterKey;
  }

  /** @throws GatewayError of kind `upstream` for a provider that cannot be called, saying why */
  get(name: string, client: WireFormat, now: number): Upstream {
    const record = this.#catalog.provider(name);
    if (!record) throw new GatewayError('upstream', `The provider '${name}' is not in the catalogue.`);
    const format = formatFor(record, client);
    const key = JSON.stringify([name, format]);
    const kept = this.#kept.get(key);
    if (kept?.version === record.version && now - kept.readAt < freshMs) return kept.upstream;
    const upstream = this.#make(record, format);
    this.#kept.set(key, { upstream, version: record.version, readAt: now });
    return upstream;
  }

  #make(record: ProviderRecord, format: WireFormat): Upstream {
    const provider = unsealProvider(this.#masterKey, record);
    const profile = providerProfiles[provider.kind];
    const { origin, pathname } = new URL(provider.baseUrl ?? profile.baseUrl ?? failNoUrl(provider.name));
    const apiKey = readApiKey(provider);
    return {
      provider: provider.name,
      dialect: dialects[format],
      original: profile.original ?? false,
      origin,
      path: pathname.replace(/\/$/, ''),
      headers: { ...(apiKey && profile.credential(apiKey)), ...lowerCased(provider.headers) },
    };
  }
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
