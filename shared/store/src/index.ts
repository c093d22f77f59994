export { EventLog, type LogPiece, type RunLogRead } from './event-log.ts';
export { ShareExceededError, StoreFullError } from './full.ts';
export type { LogRoom, LogWriter, WriterOptions } from './log-writer.ts';
export { RevisionConflictError } from './publish.ts';
export {
  pieceBytes,
  type ReadOptions,
  RevisionedStore,
  type StoredHead,
  storedSize,
} from './revisioned-store.ts';
export { keepStreams, type LastingStream, logStreams, queueStream, valueStreams } from './streams.ts';
export { type Job, type JobEnd, WorkQueue } from './work-queue.ts';
