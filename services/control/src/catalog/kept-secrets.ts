import { isDeepStrictEqual } from 'node:util';
import type { Problem, Provider } from '@model-gateway/catalog';
import { z } from 'zod';
import { isSet } from './shown.ts';

type Fields = Record<string, unknown>;

/** A catalog with secrets in place of the marks that keep them, and the marks that keep nothing. */
interface Filled {
  providers: unknown;
  problems: Problem[];
}

/** Puts the stored secrets in place of the marks `{ set: true }`. `stored` returns a provider with its secrets. */
export function keepSecrets(providers: unknown, stored: (name: string) => Provider | undefined): Filled {
  if (!Array.isArray(providers)) return { providers, problems: [] };
  const problems: Problem[] = [];
  const filled = providers.map((entry: unknown, at) => {
    if (!isFields(entry)) return entry;
    const before = stored(String(entry.name));
    const keep = (path: string, secret: string | undefined) => {
      const reason = reasonAgainst(entry, before, secret);
      if (reason) problems.push({ path: `providers[${at}].${path}`, reason });
      return secret ?? 'none';
    };
    return {
      ...entry,
      ...keptApiKey(entry, before, keep),
      ...keptApiKeys(entry, before, keep),
      ...keptHeaders(entry, before, keep),
      ...keptProxy(entry, before, keep),
    };
  });
  return { providers: filled, problems };
}

type Keep = (path: string, secret: string | undefined) => string;

/** The name of a provider's only key among the marks that keep one. */
const onlyKey = '1';

function keptApiKey({ apiKey }: Fields, before: Provider | undefined, keep: Keep): Fields {
  const from = keptKey(apiKey, onlyKey);
  return from === undefined ? {} : { apiKey: { value: keep('apiKey', secretOf(from, before)) } };
}

function keptApiKeys({ apiKeys }: Fields, before: Provider | undefined, keep: Keep): Fields {
  if (!Array.isArray(apiKeys)) return {};
  const kept = apiKeys.map((each: unknown, at) => {
    if (!isFields(each)) return each;
    const from = keptKey(each.key, nameOf(each, at));
    return from === undefined
      ? each
      : { ...each, key: { value: keep(`apiKeys[${at}].key`, secretOf(from, before)) } };
  });
  return { apiKeys: kept };
}

/** Returns the name of the stored key that a mark keeps, `own` unless it names another; undefined if it is no mark. */
function keptKey(mark: unknown, own: string): string | undefined {
  if (isMark(mark)) return own;
  const { from, ...rest }: Fields = isFields(mark) ? mark : {};
  return isMark(rest) && typeof from === 'string' ? from : undefined;
}

/** Returns the name by which a key is kept: its own, or its position. */
function nameOf({ name }: { name?: unknown }, at: number): string {
  return typeof name === 'string' ? name : String(at + 1);
}

function secretOf(key: string, before: Provider | undefined): string | undefined {
  if (before?.apiKeys) return secretIn(before.apiKeys.find((each, at) => nameOf(each, at) === key)?.key);
  return key === onlyKey ? secretIn(before?.apiKey) : undefined;
}

function secretIn(secret: NonNullable<Provider['apiKey']> | undefined): string | undefined {
  return secret && 'value' in secret ? secret.value : undefined;
}

function keptHeaders({ headers }: Fields, before: Provider | undefined, keep: Keep): Fields {
  if (!isFields(headers)) return {};
  const kept = Object.entries(headers).map(([name, value]) => [
    name,
    isMark(value) ? keep(z.core.toDotPath(['headers', name]), textOf(before?.headers[name])) : value,
  ]);
  return { headers: Object.fromEntries(kept) };
}

/** The password of a proxy is kept for the same proxy only. */
function keptProxy({ proxy }: Fields, before: Provider | undefined, keep: Keep): Fields {
  if (!isFields(proxy) || !isMark(proxy.password)) return {};
  const stored =
    typeof before?.proxy === 'object' && before.proxy.url === proxy.url ? before.proxy : undefined;
  return { proxy: { ...proxy, password: { value: keep('proxy.password', secretIn(stored?.password)) } } };
}

function textOf(header: Provider['headers'][string] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** Returns the reason why a secret cannot be kept. One that is kept never goes to another address than before. */
function reasonAgainst(
  entry: Fields,
  before: Provider | undefined,
  secret: string | undefined,
): string | undefined {
  if (!before || secret === undefined) return 'must be given: no secret is stored that could be kept';
  const url = typeof entry.baseUrl === 'string' ? entry.baseUrl.replace(/\/+$/, '') : undefined;
  if (entry.kind === before.kind && url === before.baseUrl) return undefined;
  return 'must be given again, because kind or baseUrl changes';
}

function isMark(value: unknown): boolean {
  return isDeepStrictEqual(value, isSet);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
