import type { WorkQueue } from '@model-gateway/store';
import type { ReadPlaces } from '../reads/read-places.ts';
import type { Store } from './store.ts';

/** The dependencies of requests that read or write the response store. */
export interface ResponseServices {
  store: Store;
  /** The reads of the store that run. */
  places: ReadPlaces;
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
