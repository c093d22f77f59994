import { metricsReader } from './external-metrics/register.ts';
import type { Settings } from './settings.ts';

/** Components whose total failure clients notice. */
const formats = [
  'chat',
  'messages',
  'generate-content',
  'responses',
  'embeddings',
  'images',
  'audio',
  'models',
];

/** Small enough that a pod's replacement fits beside it on a node of two cores. */
const resources = { requests: { cpu: '10m' } };

/** A trial on an empty cluster, as values.yaml describes it. */
export function defaults({ image, natsImage, postgresImage }: Settings): object {
  return {
    image: { ...image, pullPolicy: 'IfNotPresent' },
    nats: { image: natsImage },
    postgres: { enabled: true, image: postgresImage },
    persistence: { enabled: false },
    edge: { service: { type: 'NodePort' } },
  };
}

/** The name of a simulator's model in the second pool. */
export function poolModel(model: string): string {
  return `second/${model}`;
}

export interface Changes {
  /** An annotation of every pod of a Deployment: a new value replaces them all. */
  rolled?: string;
  /** The scaling of the second pool; one worker if absent. */
  second?: object;
}

/** Two replicas of every component on a request's path, and a second pool of workers. */
export function replicated(settings: Settings, { rolled = 'never', second }: Changes = {}): object {
  const pods = { resources, podAnnotations: { 'model-gateway/rolled': rolled } };
  const two = { replicas: 2, ...pods };
  return {
    ...defaults(settings),
    edge: { service: { type: 'NodePort' }, ...two },
    ingress: { formats: Object.fromEntries(formats.map(name => [name, two])) },
    realtime: two,
    console: two,
    control: two,
    simulator: { enabled: true, ...two },
    workers: [
      { name: 'default', pool: 'default', ...two },
      { name: 'second', pool: 'second', ...(second ?? { replicas: 1 }), ...pods },
    ],
    catalog: catalog(),
    networkPolicy: { monitoring: [{ podSelector: { matchLabels: metricsReader } }] },
  };
}

function catalog(): object {
  const baseUrl = 'http://gateway-simulator:8080/v1';
  const simulator = { kind: 'openai-compatible', baseUrl };
  return {
    providers: [
      { name: 'simulator', ...simulator },
      { name: 'second', ...simulator, pool: 'second' },
    ],
    models: [
      { name: 'sim-fast', targets: [{ provider: 'simulator', model: 'sim-fast' }] },
      { name: 'sim-*', targets: [{ provider: 'simulator', model: 'sim-*' }] },
      { name: poolModel('*'), targets: [{ provider: 'second', model: '*' }] },
    ],
  };
}
