import { GatewayError } from '@model-gateway/canonical';
import type { ResourceRequest, ResponseSink } from '@model-gateway/ingress';
import type { WorkQueue } from '@model-gateway/store';
import type { ReadSlots } from '../reads/read-slots.ts';
import { RequestReads } from '../reads/reads.ts';
import type { Store } from './store.ts';

/** The dependencies of requests that read or write the response store. */
export interface ResponseServices {
  store: Store;
  /** The reads of the store that run. */
  places: ReadSlots;
  /** The queue of background responses. */
  queue: Pick<WorkQueue, 'add'>;
  /** The maximum size of a request with its history, in bytes. */
  bodyBytes: number;
  /** True if a project's responses are stored. */
  keeps(project: string): boolean;
  /** Delays the process's shutdown until `work` has settled. */
  writing(work: Promise<unknown>): void;
  /** Reports a response that could not be stored. */
  failed(error: unknown): void;
}

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
