export { EventLog, type LogPiece, type LogWriter, type WriterOptions } from './event-log.ts';
export { ShareExceededError, StoreFullError } from './full.ts';
export { RevisionConflictError } from './publish.ts';
export { RevisionedStore } from './revisioned-store.ts';
export {
  divide,
  eventsMs,
  jobStream,
  keepStreams,
  type LastingStream,
  makeStream,
  type Room,
  type StoredOptions,
  secretsMs,
  storedStreams,
  valuesAndCounts,
} from './streams.ts';
export { announceCancelled, followCancelled, type Job, type JobEnd, WorkQueue } from './work-queue.ts';
