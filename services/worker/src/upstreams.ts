import type { Agent as HttpsAgent } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { GatewayError, type Operation, operationLabels, type Route } from '@model-gateway/canonical';
import {
  batchOf,
  type Catalog,
  type Provider,
  type ProviderRecord,
  type Sealer,
  urlOf,
} from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import { type AnyDialect, findDialect } from '@model-gateway/formats/dialects';
import { type Connection, type FormatDifferences, profileOf } from '@model-gateway/providers';
import { type Credential, openSecrets, readCredential } from './credentials.ts';
import { assertPublic } from './private-addresses.ts';
import type { UpstreamConnection, UpstreamConnections } from './upstream-connections.ts';

/** A provider's address, with the connection that signs requests to it. */
export interface Address {
  provider: string;
  connection: Connection;
  /** Headers of its configuration, with names in lower case. They replace those of its credential. */
  headers: Record<string, string>;
  /** The way of its requests, if it is not the usual one. */
  via?: UpstreamConnection | undefined;
}

/** A provider's address and how to call it. */
export interface Upstream extends Address {
  /** The dialect of the route's format. */
  dialect: AnyDialect;
  /** True if the provider is the vendor of its format. */
  original: boolean;
  /** The most inputs, or documents to rank, in one request. */
  batch: number;
  /** The translated requests that ask for a stream; all of them if absent. */
  streams?: Provider['streams'];
  /** True if the model continues a last message of the assistant. */
  prefill?: boolean;
  /** The ways in which it takes the route's format otherwise than the format's vendor. */
  differences?: FormatDifferences | undefined;
}

/** Longest wait for a version of a provider that the ingress has read already, in milliseconds. */
export const behindMs = 1_000;
/** Longest time to get access to a provider that grants it first, by a token for example, in milliseconds. */
export const accessMs = 10_000;
/** Time for which a credential is cached, so that a rotated one is picked up from its file. */
const freshMs = 30_000;

interface Cached {
  address: Address | Promise<Address>;
  record: ProviderRecord;
  credential: Credential;
  readAt: number;
}

interface UpstreamOptions {
  clock: Clock;
  /** If absent, all requests take the usual way. */
  connections?: Pick<UpstreamConnections, 'of' | 'releaseIf' | 'usualAgent'>;
  /** True if providers of the API must be at public addresses. */
  forbidsPrivate?: boolean;
}

/** Looks up the addresses and credentials of the catalog's providers. */
export class Upstreams {
  readonly #catalog: Catalog;
  readonly #sealer: Sealer;
  readonly #options: UpstreamOptions;
  readonly #cache = new Map<string, Cached>();

  /** `sealer` opens the secrets of the pool's providers. */
  constructor(catalog: Catalog, sealer: Sealer, options: UpstreamOptions) {
    this.#options = options;
    this.#catalog = catalog;
    this.#sealer = sealer;
  }

  /**
   * Returns the upstream of a route. Waits for its provider's version if this process has not read it yet.
   * @throws GatewayError of kind `upstream`
   */
  async of(route: Route, operation: Operation): Promise<Upstream> {
    const record = await this.#record(route);
    const dialect = findDialect(operation, route.format, route.body);
    if (!dialect) throw unable(operation);
    const profile = profileOf(record.kind);
    const { original = false, prefills = false, differences } = profile;
    const address = await this.#address(record, route.key);
    const { streams, prefill = prefills } = record;
    return {
      ...{ ...address, dialect, original, streams, prefill },
      batch: batchOf(record, operation, route.model),
      differences: differences?.[route.format],
    };
  }

  /** Returns the address of a session's route. @throws GatewayError of kind `upstream` */
  async address(route: Route): Promise<Address> {
    return this.#address(await this.#record(route), route.key);
  }

  /** Returns the address of a provider by the credential of this name. @throws GatewayError of kind `upstream` */
  async addressOf(record: ProviderRecord, key: string | undefined): Promise<Address> {
    return this.#address(record, key);
  }

  async #record({ provider, version }: Route): Promise<ProviderRecord> {
    const record = await this.#catalog.providerOf(provider, version, behindMs);
    if (!record) throw unknownProvider(provider);
    return record;
  }

  /** Returns the address by the credential of this name. Connects again if the record or the credential has changed. */
  #address(record: ProviderRecord, key: string | undefined): Address | Promise<Address> {
    const { clock, connections } = this.#options;
    const now = clock.now();
    const id = JSON.stringify([record.name, key]);
    const cached = this.#cache.get(id);
    if (cached?.record === record && now - cached.readAt < freshMs) return cached.address;
    const provider = openSecrets(this.#sealer, record);
    const credential = readCredential(provider, key);
    if (cached?.record === record && isDeepStrictEqual(cached.credential, credential)) {
      cached.readAt = now;
      return cached.address;
    }
    const via = this.#connectionOf(id, record, credential);
    const agent = via?.tokenAgent ?? connections?.usualAgent;
    const connecting = connect(provider, credential, clock, via, agent);
    const made: Cached = { address: connecting, record, credential, readAt: now };
    this.#cache.set(id, made);
    connecting.then(
      address => {
        made.address = address;
      },
      () => {
        // The next request tries again.
        if (this.#cache.get(id) === made) this.#cache.delete(id);
      },
    );
    return connecting;
  }

  /** Returns the way of an address, and ends those of providers that have left the catalog. */
  #connectionOf(id: string, record: ProviderRecord, { via }: Credential): UpstreamConnection | undefined {
    const { connections, forbidsPrivate } = this.#options;
    if (!connections) return undefined;
    connections.releaseIf(user => this.#catalog.provider((JSON.parse(user) as [string])[0]) === undefined);
    if (!forbidsPrivate || !record.ofApi) return connections.of(id, via);
    const proxy = via?.proxy === 'none' ? undefined : via?.proxy;
    for (const url of [urlOf(record), proxy, record.options?.authorityHost])
      if (url) checkPublic(url, record.name);
    return connections.of(id, { ...via, publicOnly: true });
  }
}

/** @throws GatewayError of kind `upstream` for an IP address that is not public */
function checkPublic(url: string, provider: string): void {
  try {
    assertPublic(url);
  } catch (cause) {
    const { message } = cause as Error;
    throw new GatewayError('upstream', message, { upstream: { provider } }, { cause });
  }
}

async function connect(
  provider: Provider,
  { apiKey, headers }: Credential,
  clock: Clock,
  via: UpstreamConnection | undefined,
  agent: HttpsAgent | undefined,
): Promise<Address> {
  const profile = profileOf(provider.kind);
  const baseUrl = urlOf(provider);
  if (!baseUrl) throw new GatewayError('upstream', `The provider '${provider.name}' has no base URL.`);
  const { options = {} } = provider;
  const access = { baseUrl, apiKey, options, agent, plainAgent: via?.plainTokenAgent, clock };
  const connection = await inTime(provider.name, profile.connect(access), clock);
  return { provider: provider.name, connection, headers, ...(via && { via }) };
}

/** @throws GatewayError of kind `timeout` if the provider's token service, for example, does not answer */
async function inTime(
  provider: string,
  connecting: Connection | Promise<Connection>,
  clock: Clock,
): Promise<Connection> {
  if (!(connecting instanceof Promise)) return connecting;
  const late = Promise.withResolvers<never>();
  const message = 'The upstream did not grant access in time.';
  const timer = clock.setTimeout(
    () => late.reject(new GatewayError('timeout', message, { upstream: { provider } })),
    accessMs,
  );
  return Promise.race([connecting, late.promise]).finally(() => clock.clearTimeout(timer));
}

/** Splits a URL and leaves its path as it is, which a parser might change. */
export function splitUrl(url: string): { origin: string; path: string } {
  const at = url.indexOf('/', url.indexOf('://') + 3);
  return { origin: url.slice(0, at), path: url.slice(at) };
}

export function unknownProvider(name: string): GatewayError {
  return new GatewayError('upstream', `The provider '${name}' is not in the catalog.`);
}

function unable(operation: Operation): GatewayError {
  return new GatewayError(
    'not-found',
    `This model's upstream does not support ${operationLabels[operation]}.`,
  );
}
