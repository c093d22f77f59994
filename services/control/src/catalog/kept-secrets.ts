import { isDeepStrictEqual } from 'node:util';
import type { Problem, Provider } from '@model-gateway/catalog';
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

function keptApiKey({ apiKey }: Fields, before: Provider | undefined, keep: Keep): Fields {
  if (!isMark(apiKey)) return {};
  return { apiKey: { value: keep('apiKey', secretIn(before?.apiKey)) } };
}

/** A key keeps the secret of the one with its name, or with its position if it has none. */
function keptApiKeys({ apiKeys }: Fields, before: Provider | undefined, keep: Keep): Fields {
  if (!Array.isArray(apiKeys)) return {};
  const nameOf = (each: { name?: unknown }, at: number) => each.name ?? String(at + 1);
  const kept = apiKeys.map((each: unknown, at) => {
    if (!isFields(each) || !isMark(each.key)) return each;
    const stored = before?.apiKeys?.find((other, place) => nameOf(other, place) === nameOf(each, at));
    return { ...each, key: { value: keep(`apiKeys[${at}].key`, secretIn(stored?.key)) } };
  });
  return { apiKeys: kept };
}

function secretIn(secret: NonNullable<Provider['apiKey']> | undefined): string | undefined {
  return secret && 'value' in secret ? secret.value : undefined;
}

function keptHeaders({ headers }: Fields, before: Provider | undefined, keep: Keep): Fields {
  if (!isFields(headers)) return {};
  const kept = Object.entries(headers).map(([name, value]) => [
    name,
    isMark(value) ? keep(`headers[${JSON.stringify(name)}]`, textOf(before?.headers[name])) : value,
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
