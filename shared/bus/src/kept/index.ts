export { EventLog, type LogPiece, type LogWriter, type WriterOptions } from './event-log.ts';
export { Full, ShareUsedUp } from './full.ts';
export { Keep, type KeepOptions, type Kept } from './keep.ts';
export { Overtaken } from './publish.ts';
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
