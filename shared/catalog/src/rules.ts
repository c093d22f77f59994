import { matchesPattern } from '@model-gateway/canonical';
import { modelListOf, type ProviderOption, providerProfiles } from '@model-gateway/providers';
import { z } from 'zod';

/** A problem of a catalog, and its path, such as `models[1].targets[0].provider`. */
export interface Problem {
  path: string;
  reason: string;
}

const text = z.string().catch('');
const targetOutline = z.object({ provider: text, model: text });
const names = z.array(text);
const fallbacksOutline = z
  .union([names.transform(list => ({ '': list })), z.record(z.string(), names.catch([]))])
  .catch({});
const modelOutline = z.object({
  name: text,
  targets: list(targetOutline),
  fallbacks: fallbacksOutline,
});
const providerOutline = z.object({
  name: text,
  kind: text,
  api: text,
  baseUrl: text,
  options: z.record(z.string(), text).catch({}),
  models: z.unknown().optional(),
  apiKey: z.unknown().optional(),
  apiKeys: z.unknown().optional(),
  tls: z.record(z.string(), z.unknown()).catch({}),
});
/** The fields that the rules read, parsed leniently: the rules apply even if other fields are invalid. */
const outline = z.object({
  providers: list(providerOutline),
  models: list(modelOutline),
  projects: list(z.object({ name: text })),
  users: list(z.object({ name: text })),
});

type ProviderOutline = z.infer<typeof providerOutline>;
type ModelOutline = z.infer<typeof modelOutline>;

/**
 * Finds problems between the fields of a catalog, each of which may be valid by itself. `others` are providers and models that its
 * entries may name, too.
 */
export function checkRules(
  input: unknown,
  others: { providers: readonly object[]; models: readonly object[] } = { providers: [], models: [] },
): Problem[] {
  const { providers, models, projects, users } = parseOutline(input);
  const beside = parseOutline(others);
  const known = new Set([...providers, ...beside.providers].map(provider => provider.name));
  const isModel = matcherOf([...models, ...beside.models].map(model => model.name));
  return [
    ...duplicates('providers', providers),
    ...duplicates('models', models),
    ...duplicates('projects', projects),
    ...duplicates('users', users),
    ...providers.flatMap((provider, at) => checkProvider(provider, `providers[${at}]`)),
    ...models.flatMap((model, at) => checkTargets(model, `models[${at}]`, known)),
    ...models.flatMap((model, at) => checkFallbacks(model, `models[${at}].fallbacks`, isModel)),
  ];
}

function parseOutline(input: unknown): z.infer<typeof outline> {
  return outline.catch({ providers: [], models: [], projects: [], users: [] }).parse(input);
}

function duplicates(list: string, entries: readonly { name: string }[]): Problem[] {
  const first = new Map<string, number>();
  const problems: Problem[] = [];
  for (const [at, { name }] of entries.entries()) {
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, at);
    else if (name) {
      problems.push({
        path: `${list}[${at}].name`,
        reason: `${quote(name)} is already the name of ${list}[${earlier}]`,
      });
    }
  }
  return problems;
}

function checkProvider(provider: ProviderOutline, path: string): Problem[] {
  const { kind, api, baseUrl, options, models, apiKey, apiKeys, tls } = provider;
  const problems: Problem[] = [];
  const pair = tls.cert === undefined ? ['cert', 'key'] : ['key', 'cert'];
  if ((tls.cert === undefined) !== (tls.key === undefined))
    problems.push({ path: `${path}.tls.${pair[0]}`, reason: `is required with ${pair[1]}` });
  if (apiKey !== undefined && apiKeys !== undefined)
    problems.push({ path: `${path}.apiKeys`, reason: 'must not be given with apiKey' });
  const profile = providerProfiles[kind];
  if (api && kind && !profile?.choosesFormats) {
    const kinds = Object.entries(providerProfiles).flatMap(([name, each]) =>
      each.choosesFormats ? name : [],
    );
    problems.push({ path: `${path}.api`, reason: `is allowed only for the kinds ${kinds.join(', ')}` });
  }
  if (profile && !profile.baseUrl && !baseUrl) {
    problems.push({ path: `${path}.baseUrl`, reason: `is required for the kind ${kind}` });
  }
  const refused = baseUrl && URL.canParse(baseUrl) ? profile?.refusesBaseUrl?.(baseUrl) : undefined;
  if (refused) problems.push({ path: `${path}.baseUrl`, reason: refused });
  if (profile && models && !modelListOf(profile)) {
    const reason = `cannot be discovered: the kind ${kind} has no list of models`;
    problems.push({ path: `${path}.models`, reason });
  }
  if (profile) problems.push(...checkOptions(profile.options ?? {}, options, kind, `${path}.options`));
  return problems;
}

function checkOptions(
  known: Record<string, ProviderOption>,
  given: Record<string, string>,
  kind: string,
  path: string,
): Problem[] {
  const unknown = Object.keys(given).flatMap(name =>
    Object.hasOwn(known, name)
      ? []
      : { path: `${path}[${quote(name)}]`, reason: `is not an option of the kind ${kind}` },
  );
  const invalid = Object.entries(known).flatMap(([name, { required, form }]) => {
    const value = given[name];
    if (value === undefined)
      return required ? { path: `${path}.${name}`, reason: `is required for the kind ${kind}` } : [];
    const reason = misfit(form, value);
    return reason === undefined ? [] : { path: `${path}.${name}`, reason };
  });
  return [...unknown, ...invalid];
}

function checkTargets({ name, targets }: ModelOutline, path: string, known: Set<string>): Problem[] {
  return targets.flatMap((target, at) => {
    const problems: Problem[] = [];
    if (target.provider && !known.has(target.provider)) {
      const reason = `${quote(target.provider)} is not the name of a provider`;
      problems.push({ path: `${path}.targets[${at}].provider`, reason });
    }
    if (target.model.includes('*') && name && !name.includes('*')) {
      const reason = `contains a *, but the model's name ${quote(name)} does not`;
      problems.push({ path: `${path}.targets[${at}].model`, reason });
    }
    return problems;
  });
}

/** Returns a function that tells if a name is one of these, or matches one with a `*`. */
function matcherOf(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names);
  const patterns = names.filter(name => name.includes('*'));
  return name => exact.has(name) || patterns.some(pattern => matchesPattern(name, pattern));
}

function checkFallbacks(model: ModelOutline, path: string, isModel: (name: string) => boolean): Problem[] {
  return Object.entries(model.fallbacks).flatMap(([cause, names]) =>
    names.flatMap((name, at) => {
      if (name === '' || (name !== model.name && isModel(name))) return [];
      const reason =
        name === model.name ? 'is the model itself' : `${quote(name)} is not the name of a model`;
      return { path: `${path}${cause && `.${cause}`}[${at}]`, reason };
    }),
  );
}

function quote(name: string): string {
  return JSON.stringify(name);
}

/** A schema of a list that reads malformed entries as blank ones, so that the others keep their index. */
function list<T extends z.ZodObject>(entry: T) {
  const blank = () => entry.parse({}) as z.output<T>;
  return z.array(entry.catch(blank as never)).catch([]);
}

/** Returns what is wrong with a value of an option of a kind, such as "must be a tenant's id or domain"; undefined if nothing is. */
export function optionMisfit(kind: string, option: string, value: string): string | undefined {
  return misfit(providerProfiles[kind]?.options?.[option]?.form, value);
}

function misfit(form: ProviderOption['form'], value: string): string | undefined {
  return form && !form.pattern.test(value) ? `must be ${form.text}` : undefined;
}
