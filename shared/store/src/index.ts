export { EventLog, type LogPiece } from './event-log.ts';
export { ShareExceededError, StoreFullError } from './full.ts';
export type { LogWriter, WriterOptions } from './log-writer.ts';
export { RevisionConflictError } from './publish.ts';
export { RevisionedStore } from './revisioned-store.ts';
export { keepStreams, type LastingStream, logStreams, queueStream, valueStreams } from './streams.ts';
export { type Job, type JobEnd, WorkQueue } from './work-queue.ts';
