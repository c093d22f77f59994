import type { Settings } from '../../test/kubernetes/settings.ts';
import { defaults } from '../../test/kubernetes/values.ts';
import { vectorUpstream } from './vector-upstream.ts';

/** The measured services. */
export const services = ['edge', 'ingress-chat', 'worker', 'control'] as const;
export type Service = (typeof services)[number];

/** One replica of everything; `service` is limited to this CPU, the others are unlimited. */
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

export const vectorModel = 'vectors';

/** A catalog of one model, which the upstream of `vector-upstream.ts` serves in the format embed-content. */
export const vectorCatalog = {
  providers: [
    { name: 'vectors', kind: 'gemini', baseUrl: `http://${vectorUpstream}:8080`, apiKey: { value: 'any' } },
  ],
  models: [{ name: vectorModel, targets: [{ provider: 'vectors', model: vectorModel }] }],
};
