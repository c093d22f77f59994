/** The queue group whose members share a pool's calls. */
export const workerQueue = 'workers';

/** Opens a call at any worker of a pool; for its queue group alone. */
export const callSubject = (pool: string) => `gateway.v1.call.${pool}`;

/** Everything addressed to the worker that accepted. */
export const workerSubject = (worker: string) => `gateway.v1.worker.${worker}`;

/** Frames back to a caller, of all its calls. The server's "no responders" comes to the same name with the call's id as one more token. */
export const replySubject = (caller: string) => `gateway.v1.reply.${caller}`;

/** A worker's sign of life. */
export const beatSubject = (pool: string, worker: string) => `gateway.v1.beat.${pool}.${worker}`;

/** Every worker's signs of life. */
export const anyBeat = 'gateway.v1.beat.*.*';

/** Changes of a bucket, ahead of their writes. */
export const announceSubject = (bucket: string) => `gateway.v1.changed.${bucket}`;

/** Usage records, an array of them a message; the stream `USAGE` keeps them. */
export const usageSubject = 'gateway.v1.usage';
