import { readFileSync } from 'node:fs';
import { GatewayError } from '@model-gateway/canonical';
import { type Catalog, type ProviderRecord, unseal } from '@model-gateway/catalog';
import { type Dialect, dialects } from './dialects/index.ts';
import { type ProviderKindProfile, providerProfiles } from './providers/index.ts';

/** Where and how a provider is called, its credential included. */
export interface Upstream {
  provider: string;
  dialect: Dialect;
  baseUrl: string;
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
  get(name: string, now: number): Upstream {
    const record = this.#catalog.provider(name);
    if (!record) throw new GatewayError('upstream', `The provider '${name}' is not in the catalogue.`);
    const kept = this.#kept.get(name);
    if (kept?.version === record.version && now - kept.readAt < freshMs) return kept.upstream;
    const upstream = this.#make(record);
    this.#kept.set(name, { upstream, version: record.version, readAt: now });
    return upstream;
  }

  #make(record: ProviderRecord): Upstream {
    const { name, kind, baseUrl, headers } = record;
    const profile: ProviderKindProfile = providerProfiles[kind];
    const dialectName = profile.dialect(record);
    const dialect = dialects[dialectName];
    if (!dialect)
      throw new GatewayError(
        'upstream',
        `The dialect ${dialectName} of provider '${name}' is not supported yet.`,
      );
    const base = baseUrl ?? profile.baseUrl;
    if (!base) throw new GatewayError('upstream', `The provider '${name}' has no base URL.`);
    const apiKey = this.#apiKey(record);
    const opened = Object.entries(headers).map(([key, sealed]) => [
      key.toLowerCase(),
      unseal(this.#masterKey, name, sealed),
    ]);
    return {
      provider: name,
      dialect,
      baseUrl: base,
      headers: { ...(apiKey && profile.credential(apiKey)), ...Object.fromEntries(opened) },
    };
  }

  #apiKey({ name, apiKey }: ProviderRecord): string | undefined {
    if (!apiKey) return undefined;
    if ('sealed' in apiKey) return unseal(this.#masterKey, name, apiKey);
    const value = 'env' in apiKey ? process.env[apiKey.env] : readSecret(apiKey.file);
    if (!value)
      throw new GatewayError('upstream', `The provider '${name}' is disabled: its credential is not set.`);
    return value;
  }
}

function readSecret(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
