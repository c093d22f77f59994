import { providerProfiles } from '@model-gateway/providers';
import { stringify } from 'yaml';

/** The providers that are found on the machine without configuration. */
export interface Offer {
  /** The simulator's origin, without a path. */
  simulatorUrl: string;
  /** The names of Ollama's models on this machine. */
  ollama: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** The kinds of providers whose keys may be in the environment. */
const keys = Object.entries(providerProfiles).flatMap(([name, { keyVariable }]) =>
  keyVariable ? { name, env: keyVariable } : [],
);

/** Returns the default catalog, as the text of a gateway.yaml. */
export function catalogText({ simulatorUrl, ollama, env }: Offer): string {
  const keyed = keys.filter(key => env[key.env]);
  const providers = [
    { name: 'simulator', kind: 'openai-compatible', baseUrl: `${simulatorUrl}/v1` },
    ...keyed.map(key => ({ name: key.name, kind: key.name, apiKey: { env: key.env } })),
    ...(ollama.length > 0 ? [{ name: 'ollama', kind: 'ollama' }] : []),
  ];
  const models = [
    ...['sim-fast', 'sim-1', 'sim-slow'].map(name => model(name, 'simulator', name)),
    model('sim-*', 'simulator', 'sim-*'),
    ...keyed.map(key => model(`${key.name}/*`, key.name, '*')),
    ...ollama.map(name => model(`ollama/${name}`, 'ollama', name)),
  ];
  return `${comment}${stringify({ providers, models })}`;
}

const comment = `# The providers that were found at the start. This file is rewritten at each start.
# For your own catalog, copy this file and set GATEWAY_CONFIG to the copy.
`;

function model(name: string, provider: string, target: string) {
  return { name, targets: [{ provider, model: target }] };
}

/** Lists the models of an Ollama on this machine; an empty list if it does not respond within 300 ms. */
export async function ollamaModels(origin = 'http://127.0.0.1:11434', waitMs = 300): Promise<string[]> {
  try {
    const answer = await fetch(`${origin}/api/tags`, { signal: AbortSignal.timeout(waitMs) });
    const { models } = (await answer.json()) as { models?: { name: string }[] };
    return answer.ok ? (models ?? []).map(model => model.name) : [];
  } catch {
    return [];
  }
}
