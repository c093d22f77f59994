export { EventLog, type LogPiece, type LogWriter, type WriterOptions } from './event-log.ts';
export { Keep, type KeepOptions, type Kept, Overtaken } from './keep.ts';
export { announceCancelled, followCancelled } from './notices.ts';
export { type Job, type JobEnd, WorkQueue } from './work-queue.ts';
