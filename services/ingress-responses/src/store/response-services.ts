import type { WorkQueue } from '@model-gateway/bus';
import type { Store } from './store.ts';

/** What requests that refer to others, or are kept, need of the service. */
export interface ResponseServices {
  store: Store;
  /** What is answered in the background. */
  queue: Pick<WorkQueue, 'add'>;
  /** The largest request with its history, in bytes. */
  bodyBytes: number;
  /** Whether a project's responses are kept. */
  keeps(project: string): boolean;
  /** Has the process wait for what is being written, and tells of what could not be. */
  writing(work: Promise<unknown>): void;
  failed(error: unknown): void;
}
