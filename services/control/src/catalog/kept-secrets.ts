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
    return { ...entry, ...keptApiKey(entry, before, keep), ...keptHeaders(entry, before, keep) };
  });
  return { providers: filled, problems };
}

type Keep = (path: string, secret: string | undefined) => string;

function keptApiKey({ apiKey }: Fields, before: Provider | undefined, keep: Keep): Fields {
  if (!isMark(apiKey)) return {};
  const stored = before?.apiKey;
  return { apiKey: { value: keep('apiKey', stored && 'value' in stored ? stored.value : undefined) } };
}

function keptHeaders({ headers }: Fields, before: Provider | undefined, keep: Keep): Fields {
  if (!isFields(headers)) return {};
  const kept = Object.entries(headers).map(([name, value]) => [
    name,
    isMark(value) ? keep(`headers[${JSON.stringify(name)}]`, before?.headers[name]) : value,
  ]);
  return { headers: Object.fromEntries(kept) };
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
