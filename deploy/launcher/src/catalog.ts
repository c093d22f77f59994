import { type Clock, systemClock } from '@model-gateway/clock';
import { modelListOf, type ProviderOption, providerProfiles } from '@model-gateway/providers';
import { stringify } from 'yaml';

/** The providers that are found on the machine without configuration. */
export interface Offer {
  /** The simulator's origin, without a path. */
  simulatorUrl: string;
  /** The names of Ollama's models on this machine. */
  ollama: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** The longest wait for an Ollama, in milliseconds. */
const ollamaMs = 1_000;

/** The kinds of providers whose keys may be in the environment, with the variables of their options. */
const keys = Object.entries(providerProfiles).flatMap(([name, profile]) => {
  const { keyVariable, options = {} } = profile;
  const lists = modelListOf(profile) !== undefined;
  return keyVariable ? { name, env: keyVariable, options: Object.entries(options), lists } : [];
});

/** Returns the options of a kind that the environment holds; undefined if a required one is missing. */
function optionsIn(
  env: NodeJS.ProcessEnv,
  options: readonly [string, ProviderOption][],
): { options?: Record<string, string> } | undefined {
  const values = options.map(([name, { variable }]) => [name, variable && env[variable]] as const);
  if (options.some(([, { required }], at) => required && !values[at]?.[1])) return undefined;
  const set = values.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return set.length > 0 ? { options: Object.fromEntries(set) } : {};
}

/** Returns the default catalog, as the text of a gateway.yaml. */
export function catalogText({ simulatorUrl, ollama, env }: Offer): string {
  const keyed = keys.flatMap(({ options, ...key }) => {
    const found = env[key.env] ? optionsIn(env, options) : undefined;
    return found ? { ...key, ...found } : [];
  });
  const providers = [
    { name: 'simulator', kind: 'openai-compatible', baseUrl: `${simulatorUrl}/v1` },
    ...keyed.map(({ name, env: variable, lists, options }) => ({
      ...{ name, kind: name, apiKey: { env: variable } },
      ...(options && { options }),
      ...(lists && discovered(name)),
    })),
    ...(ollama.length > 0
      ? [
          {
            ...{ name: 'ollama', kind: 'ollama', ...(env.OLLAMA_HOST && { baseUrl: ollamaUrl(env) }) },
            ...discovered('ollama', '1m'),
          },
        ]
      : []),
  ];
  const models = [
    ...['sim-fast', 'sim-1', 'sim-slow'].map(name => model(name, 'simulator', name)),
    model('sim-*', 'simulator', 'sim-*'),
    ...keyed.map(key => model(`${key.name}/*`, key.name, '*')),
    // The models that it lists, and their names without a tag.
    ...(ollama.length > 0 ? [model('ollama/*', 'ollama', '*')] : []),
  ];
  return `${comment}${stringify({ providers, models })}`;
}

const comment = `# The providers that were found at the start. This file is rewritten at each start.
# For your own catalog, copy this file and set GATEWAY_CONFIG to the copy.
`;

/** Returns the settings of a provider whose models are listed by their names below its own. */
function discovered(name: string, every?: string) {
  return { models: { discover: true, prefix: `${name}/`, ...(every && { every }) } };
}

function model(name: string, provider: string, target: string) {
  return { name, targets: [{ provider, model: target }] };
}

/**
 * Returns the origin of Ollama: that of OLLAMA_HOST as its own command reads it, with or without scheme and port, where the address of
 * every network interface means this machine.
 */
export function ollamaUrl({ OLLAMA_HOST }: NodeJS.ProcessEnv): string {
  const host = OLLAMA_HOST?.trim() || '127.0.0.1';
  const hasScheme = /^https?:\/\//.test(host);
  const url = URL.parse(hasScheme ? host : `http://${host}`);
  if (!url) return ollamaUrl({});
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = '127.0.0.1';
  if (!hasScheme && !url.port) url.port = '11434';
  return url.origin;
}

/** Lists the models of an Ollama; an empty list if it does not respond within a second. */
export async function ollamaModels(origin: string, clock: Clock = systemClock): Promise<string[]> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), ollamaMs);
  try {
    const answer = await fetch(`${origin}/api/tags`, { signal: late.signal });
    const { models } = (await answer.json()) as { models?: { name: string }[] };
    return answer.ok ? (models ?? []).map(model => model.name) : [];
  } catch {
    return [];
  } finally {
    clock.clearTimeout(timer);
  }
}
