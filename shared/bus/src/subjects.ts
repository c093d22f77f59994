/** The queue group whose members share a pool's calls. */
export const workerQueue = 'workers';

/** Opens a call at any worker of a pool; for its queue group alone. */
export const callSubject = (pool: string) => `gateway.v1.call.${pool}`;

/** The name of a worker: its pool, and an id of its own, so that a subject tells whose it is. */
export const workerName = (pool: string, id: string) => `${pool}.${id}`;

export const poolOf = (worker: string) => worker.slice(0, worker.indexOf('.'));

/** Everything addressed to the worker that accepted. */
export const workerSubject = (worker: string) => `gateway.v1.worker.${worker}`;

/**
 * Frames back to a caller, of all its calls. The server's "no responders" comes to the same name with one more token.
 * `user` is the NATS user of the caller's process, who alone may read it.
 */
export const replySubject = (user: string, caller: string) => `gateway.v1.reply.${user}.${caller}`;

/** A worker's heartbeat. */
export const heartbeatSubject = (worker: string) => `gateway.v1.beat.${worker}`;

/** Every worker's heartbeats. */
export const anyBeat = 'gateway.v1.beat.*.*';

/** The worker whose heartbeat came to this subject. */
export const heartbeatingWorker = (subject: string) => subject.split('.').slice(3).join('.');

/** Changes of a bucket, ahead of their writes. */
export const announceSubject = (bucket: string) => `gateway.v1.changed.${bucket}`;

/** Usage records, an array of them a message; the stream `USAGE` keeps them. */
export const usageSubject = 'gateway.v1.usage';

/** The keys of responses in the background that nobody wants any more. */
export const cancelledSubject = 'gateway.v1.cancelled';

/** The beginning of the subjects at which a user's requests are answered; nobody else may read them. */
export const inboxPrefix = (user: string) => `_INBOX_${user}`;

/** The names that a pool of workers may have: one token of a NATS subject. */
export const poolName = /^[A-Za-z0-9_-]{1,64}$/;
