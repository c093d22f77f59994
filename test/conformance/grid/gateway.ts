import { startSimulator } from '@model-gateway/simulator';
import { formats, providersAt } from '../../stack/formats.ts';
import { type Stack, startStack } from '../../stack/stack.ts';
import { startCounting } from './counting.ts';
import type { Json } from './json.ts';
import { startUnruly, type UnrulyName } from './unruly.ts';

/**
 * A gateway with upstreams of each format: `<format>/<name>` is a model of the simulator,
 * `counting-<format>/<name>` one of the counting upstream, and `openai-chat/<name>` and
 * `openai-responses/<name>` are the simulator as OpenAI itself.
 */
export interface GridGateway {
  stack: Stack;
  /** The bodies that upstreams received for models whose names contain `mark`, oldest first. */
  sent(mark: string): Json[];
  stop(): Promise<void>;
}

/** Starts it; `unruly` names the careless way in which its upstreams send event streams. */
export async function startGridGateway(unruly?: UnrulyName): Promise<GridGateway> {
  const [simulator, counting] = await Promise.all([startSimulator(), startCounting()]);
  const between = unruly
    ? await Promise.all([simulator, counting].map(({ url }) => startUnruly(unruly, url)))
    : [];
  const [simulatorUrl, countingUrl] = [simulator, counting].map(({ url }, i) => between[i]?.url ?? url) as [
    string,
    string,
  ];
  const stack = await startStack({
    catalog: {
      providers: [
        ...providersAt(simulatorUrl),
        ...providersAt(countingUrl, 'counting-'),
        ...(['chat', 'responses'] as const).map(api => openAi(api, simulatorUrl)),
      ],
      models: [
        ...formats.flatMap(format => [format, `counting-${format}`]),
        ...['openai-chat', 'openai-responses'],
      ].map(provider => ({ name: `${provider}/*`, targets: [{ provider, model: '*' }] })),
    },
  });
  return {
    stack,
    sent: mark => recorded(mark, [...simulator.requests, ...counting.requests]),
    async stop() {
      await stack.stop();
      await Promise.all([simulator, counting, ...between].map(each => each.close()));
    },
  };
}

function openAi(api: 'chat' | 'responses', url: string): object {
  return { name: `openai-${api}`, kind: 'openai', api, baseUrl: `${url}/v1`, apiKey: { value: 'key' } };
}

function recorded(mark: string, requests: { path: string; body: string }[]): Json[] {
  return requests
    .filter(({ path, body }) => path.includes(mark) || body.includes(mark))
    .map(({ body }) => JSON.parse(body));
}
