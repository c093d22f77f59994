import { GatewayError } from '@model-gateway/canonical';
import type { ResourceRequest, ResponseSink } from '@model-gateway/ingress';
import { RequestReads } from '../reads/reads.ts';
import type { ResponseServices } from './response-services.ts';
import type { Store } from './store.ts';

/** The services that answer requests for what is stored. */
export type StoredServices = Pick<ResponseServices, 'store' | 'places' | 'bodyBytes'>;

/**
 * Returns the store as the request of a client reads it: few reads at once for its token, which are reserved until the client has
 * the answer.
 */
export function clientStore(
  { store, places, bodyBytes }: StoredServices,
  { token, share }: Pick<ResourceRequest, 'token' | 'share'>,
  sink: ResponseSink,
  signal: AbortSignal,
): Store {
  if (sink.destroyed) throw new GatewayError('cancelled', 'The client left.');
  const reads = new RequestReads(places, { tokenId: token.id, share: share(), signal, bodyBytes });
  sink.on('close', () => reads.release());
  return store.through(reads);
}
