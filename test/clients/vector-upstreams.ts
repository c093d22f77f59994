import { type Simulated, startSimulated } from '../stack/simulated.ts';

/** Providers that embed, by name; their vectors are equal. */
export const embedders = ['openai', 'gemini', 'cohere', 'tei'] as const;
/** Providers that rank documents. */
export const rankers = ['cohere', 'jina', 'tei'] as const;

/** A gateway with one simulator as an upstream of each kind; a model is named like `cohere/sim-fast`. */
export type VectorUpstreams = Simulated;

/** Starts the gateway; `models` are added to its models. */
export function startVectorUpstreams(models: object[] = []): Promise<VectorUpstreams> {
  const catalogAt = (url: string) => {
    const providers = providersOf(url);
    const own = providers.map(({ name }) => ({
      name: `${name}/*`,
      targets: [{ provider: name, model: '*' }],
    }));
    return { providers, models: [...models, ...own] };
  };
  return startSimulated(catalogAt, { described: true });
}

function providersOf(url: string) {
  const apiKey = { value: 'upstream-key' };
  return [
    { name: 'openai', kind: 'openai-compatible', baseUrl: `${url}/v1`, apiKey },
    { name: 'jina', kind: 'openai-compatible', baseUrl: `${url}/v1`, apiKey },
    { name: 'gemini', kind: 'gemini', baseUrl: url, apiKey },
    { name: 'cohere', kind: 'cohere', baseUrl: url, apiKey },
    { name: 'tei', kind: 'tei', baseUrl: url, apiKey },
    { name: 'tei-429', kind: 'tei', baseUrl: `${url}/tei/fault-429` },
    { name: 'claude', kind: 'anthropic', baseUrl: url, apiKey },
    { name: 'three', kind: 'openai-compatible', baseUrl: `${url}/v1`, batch: 3 },
    { name: 'five', kind: 'cohere', baseUrl: url, batch: 5 },
    { name: 'two', kind: 'gemini', baseUrl: url, batch: 2 },
  ];
}
