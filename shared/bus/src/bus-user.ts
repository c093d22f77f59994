/** The services that use NATS; `front` is every ingress and realtime in one process. */
export const busServices = [
  'control',
  'worker',
  'front',
  'ingress-chat',
  'ingress-messages',
  'ingress-generate-content',
  'ingress-responses',
  'ingress-embeddings',
  'ingress-images',
  'ingress-audio',
  'ingress-models',
  'realtime',
] as const;
export type BusService = (typeof busServices)[number];

/** Returns the NATS user of a service; the workers of each pool have their own. */
export function busUser(service: BusService, pool = 'default'): string {
  return service === 'worker' ? `worker-${pool}` : service;
}
