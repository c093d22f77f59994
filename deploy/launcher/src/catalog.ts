import { stringify } from 'yaml';

/** What the machine offers without anybody having to say so. */
export interface Offer {
  /** The simulator's own address, with no path. */
  simulatorUrl: string;
  /** The names of Ollama's models on this machine. */
  ollama: readonly string[];
  env: NodeJS.ProcessEnv;
}

const keys = [
  { name: 'openai', env: 'OPENAI_API_KEY' },
  { name: 'anthropic', env: 'ANTHROPIC_API_KEY' },
  { name: 'gemini', env: 'GEMINI_API_KEY' },
];

/** The catalog, as the text of a gateway.yaml, for those who did not write one. */
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

const comment = `# What was found at the start, written anew at each.
# For a catalog of your own, copy this file and name the copy in GATEWAY_CONFIG.
`;

function model(name: string, provider: string, target: string) {
  return { name, targets: [{ provider, model: target }] };
}

/** The models of an Ollama on this machine; none where it does not answer within 300 ms. */
export async function ollamaModels(origin = 'http://127.0.0.1:11434'): Promise<string[]> {
  try {
    const answer = await fetch(`${origin}/api/tags`, { signal: AbortSignal.timeout(300) });
    const { models } = (await answer.json()) as { models?: { name: string }[] };
    return answer.ok ? (models ?? []).map(model => model.name) : [];
  } catch {
    return [];
  }
}
