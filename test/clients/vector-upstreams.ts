import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { type Stack, startStack } from '../stack/stack.ts';

/** Who makes vectors, by the name of the provider; what comes of one is the same of all. */
export const embedders = ['openai', 'gemini', 'cohere', 'tei'] as const;
/** Who ranks documents. */
export const rankers = ['cohere', 'jina', 'tei'] as const;

/** A gateway before one simulator, which it knows as an upstream of each kind; a model is asked for as `cohere/sim-fast`. */
export interface VectorUpstreams {
  simulator: StartedSimulator;
  stack: Stack;
  /** The body of the last request that the simulator got. */
  received(): Record<string, unknown>;
  stop(): Promise<void>;
}

/** Starts one; `models` are added to its own. */
export async function startVectorUpstreams(models: object[] = []): Promise<VectorUpstreams> {
  const simulator = await startSimulator();
  const { url } = simulator;
  const apiKey = { value: 'upstream-key' };
  const providers = [
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
  const own = providers.map(({ name }) => ({
    name: `${name}/*`,
    targets: [{ provider: name, model: '*' }],
  }));
  const stack = await startStack({ catalog: { providers, models: [...models, ...own] } });
  return {
    simulator,
    stack,
    received: () => JSON.parse(simulator.requests.at(-1)?.body ?? 'null'),
    async stop() {
      await stack.stop();
      await simulator.close();
    },
  };
}
