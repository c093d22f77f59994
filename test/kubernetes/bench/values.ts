import type { Settings } from '../settings.ts';
import { defaults } from '../values.ts';

/** The services that are measured. */
export const services = ['edge', 'ingress-chat', 'worker', 'control'] as const;
export type Service = (typeof services)[number];

/** One replica of everything; `service` may use as much CPU as is said, all others as much as there is. */
export function limited(settings: Settings, service: Service, cpu: string): object {
  const requests = { cpu: '150m' };
  const free = { replicas: 1, resources: { requests } };
  const of = (name: Service) =>
    name === service ? { replicas: 1, resources: { requests, limits: { cpu } } } : free;
  return {
    ...defaults(settings),
    edge: { service: { type: 'NodePort' }, ...of('edge') },
    ingress: { formats: { chat: of('ingress-chat') } },
    control: of('control'),
    simulator: { enabled: true, ...free },
    workers: [{ name: 'default', pool: 'default', ...of('worker') }],
  };
}

export const vectorModel = 'sim-d1536';

/** The simulator's vectors, which it sends in the format embed-content. */
export const vectorCatalog = {
  providers: [
    {
      name: 'simulator',
      kind: 'gemini',
      baseUrl: 'http://gateway-simulator:8080',
      apiKey: { value: 'any' },
    },
  ],
  models: [{ name: vectorModel, targets: [{ provider: 'simulator', model: vectorModel }] }],
};
