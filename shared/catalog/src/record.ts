import type { Operation } from '@model-gateway/canonical';
import type { Model, Project, Provider } from './schema.ts';
import { type Sealed, seal, unseal } from './seal.ts';

/** A provider as SQL and KV hold it: what is secret by value is sealed, references stay references. */
export type StoredProvider = Omit<Provider, 'apiKey' | 'headers'> & {
  apiKey?: { env: string } | { file: string } | Sealed;
  headers: Record<string, Sealed>;
};

/** A provider in the bucket `catalog`. */
export type ProviderRecord = StoredProvider & { version: number };

/** A model in the bucket `catalog`. */
export type ModelRecord = Model & {
  version: number;
  /** Its place in the file. */
  position: number;
  /** When it was first seen, in seconds since 1970. */
  created: number;
};

/** What the catalog says of a project, in the bucket `catalog`. */
export type ProjectRecord = Project & { version: number };

/** Header values are sealed too, for some vendors take their credential in one of their own. */
export function sealProvider(key: Uint8Array, provider: Provider): StoredProvider {
  const { apiKey, headers, ...rest } = provider;
  const shut = (text: string) => seal(key, provider.name, text);
  return {
    ...rest,
    ...(apiKey && { apiKey: 'value' in apiKey ? shut(apiKey.value) : apiKey }),
    headers: mapValues(headers, shut),
  };
}

/** The provider as its file has it. @throws Error if a secret does not open, as under another master key. */
export function unsealProvider(key: Uint8Array, stored: StoredProvider): Provider {
  const { apiKey, headers, ...rest } = stored;
  const open = (sealed: Sealed) => unseal(key, stored.name, sealed);
  return {
    ...rest,
    ...(apiKey && { apiKey: 'sealed' in apiKey ? { value: open(apiKey) } : apiKey }),
    headers: mapValues(headers, open),
  };
}

function mapValues<From, To>(values: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

const kinds = ['provider', 'model', 'project'] as const;
export type RecordKind = (typeof kinds)[number];

/** Names hold what keys may not, so a key is `<kind>.<base64url of the name>`. */
export function recordKey(kind: RecordKind, name: string): string {
  return `${kind}.${Buffer.from(name).toString('base64url')}`;
}

/** What {@link recordKey} was made of; undefined for the key of anything else. */
export function parseRecordKey(key: string): { kind: RecordKind; name: string } | undefined {
  const dot = key.indexOf('.');
  const kind = kinds.find(name => name === key.slice(0, dot));
  return kind && { kind, name: Buffer.from(key.slice(dot + 1), 'base64url').toString() };
}

/** How long an upstream may take, in milliseconds. */
export type Timeouts = Required<Model['timeouts']>;

/** Where a model does not say. Of an image nothing may come before it is complete, nor between two views of it. */
const defaults: Partial<Record<Operation, Omit<Timeouts, 'total'>>> = {
  image: { firstToken: 300_000, idle: 300_000 },
};
const usual = { firstToken: 60_000, idle: 60_000 };

/** How long a model's upstream may take to do what it is asked for. */
export function timeoutsFor({ timeouts }: Pick<Model, 'timeouts'>, operation: Operation): Timeouts {
  return { ...(defaults[operation] ?? usual), ...timeouts };
}
