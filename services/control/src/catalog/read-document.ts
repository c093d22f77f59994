import { endpoints } from '@model-gateway/admin-api';
import {
  type CatalogFile,
  type Problem,
  type Provider,
  parseCatalog,
  type Sealer,
} from '@model-gateway/catalog';
import type { Entries } from './entries.ts';
import { keepSecrets } from './kept-secrets.ts';
import { tryUnseal } from './kinds.ts';
import { invalidEntries } from './refusal.ts';

/** The deepest nesting of a document. */
const deepest = 20;
/** The largest entry, in bytes, as if it were sent alone. NATS takes a record of 1 MB, unless it is set to take more. */
const largestEntry = endpoints.setProvider.largestBody;

interface ReadOptions {
  inForce: Entries;
  /** The entries that stay, and that the document may name. */
  others: Entries;
  sealer: Sealer;
  /** The path of the only entry, which errors leave out. */
  within: string | undefined;
  /** True if a list that is absent is empty. */
  mayLackLists: boolean;
}

/**
 * Reads a document in the form of gateway.yaml, whose entries replace those in force. A field of an entry that is null is absent.
 * Marks in place of secrets keep them. @throws GatewayError that names every problem
 */
export function readDocument(
  input: unknown,
  { inForce, others, sealer, within, mayLackLists }: ReadOptions,
): CatalogFile {
  const unusable = textProblem(input, '', 0) ?? sizeProblem(input);
  if (unusable) throw invalidEntries([unusable], within);
  const given = isFields(input) ? { ...(mayLackLists && noLists), ...mapLists(input) } : input;
  const { document, problems } = isFields(given)
    ? withSecrets(given, inForce, sealer)
    : { document: given, problems: [] };
  const parsed = parseCatalog(document, othersThan(document, others));
  const all = [...problems, ...(parsed.problems ?? [])];
  if (!parsed.catalog || all.length > 0) throw invalidEntries(all, within);
  return parsed.catalog;
}

/** The lists that a gateway.yaml must have. */
const noLists = { providers: [], models: [] };

type Fields = Record<string, unknown>;

function withSecrets(
  document: Fields,
  { providers }: Entries,
  sealer: Sealer,
): { document: Fields; problems: Problem[] } {
  const stored = (name: string): Provider | undefined => {
    const row = providers.find(provider => provider.name === name);
    return row && tryUnseal(sealer, row.data);
  };
  const { providers: filled, problems } = keepSecrets(document.providers, stored);
  return { document: { ...document, ...(filled !== undefined && { providers: filled }) }, problems };
}

/** Returns the entries in force that a document does not name. */
function othersThan(document: unknown, { providers, models }: Entries) {
  const namesIn = (list: unknown) =>
    new Set(Array.isArray(list) ? list.filter(isFields).map(({ name }) => name) : []);
  const fields = isFields(document) ? document : {};
  const [inProviders, inModels] = [namesIn(fields.providers), namesIn(fields.models)];
  return {
    providers: providers.filter(({ name }) => !inProviders.has(name)).map(({ data }) => data),
    models: models.filter(({ name }) => !inModels.has(name)).map(({ data }) => data),
  };
}

/** Leaves out the fields of entries that are null. */
function mapLists(document: Fields): Fields {
  const present = (entry: unknown) =>
    isFields(entry) ? Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)) : entry;
  return Object.fromEntries(
    Object.entries(document).map(([name, list]) => [name, Array.isArray(list) ? list.map(present) : list]),
  );
}

/** Finds a text that the database cannot hold, or too deep a nesting. */
function textProblem(value: unknown, path: string, depth: number): Problem | undefined {
  if (depth > deepest) return { path, reason: 'is nested too deeply' };
  const isBad = (text: string) => text.includes('\0') || !text.isWellFormed();
  if (typeof value === 'string')
    return isBad(value) ? { path, reason: 'must not contain NUL or lone surrogates' } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (isBad(name) || name === '__proto__') return { path, reason: 'has a field with an invalid name' };
    const inside = Array.isArray(value) ? `${path}[${name}]` : path ? `${path}.${name}` : name;
    const found = textProblem(member, inside, depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Finds an entry that is too large to be published. */
function sizeProblem(input: unknown): Problem | undefined {
  for (const [name, list] of Object.entries(isFields(input) ? input : {})) {
    const sizes = Array.isArray(list) ? list.map(entry => Buffer.byteLength(JSON.stringify(entry))) : [];
    const at = sizes.findIndex(size => size > largestEntry);
    if (at >= 0)
      return { path: `${name}[${at}]`, reason: `must have at most ${largestEntry / 1024} kB as JSON` };
  }
  return undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
