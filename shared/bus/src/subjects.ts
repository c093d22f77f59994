/** The queue group whose members share a pool's calls. */
export const workerQueue = 'workers';

/** Opening frames to any worker of a pool; subscribed to by its queue group alone. */
export const callSubject = (pool: string) => `gateway.v1.call.${pool}`;

/** The name of a worker: its pool and its id. */
export const workerName = (pool: string, id: string) => `${pool}.${id}`;

export const poolOf = (worker: string) => worker.slice(0, worker.indexOf('.'));

/** Frames to one worker. */
export const workerSubject = (worker: string) => `gateway.v1.worker.${worker}`;

const replies = 'gateway.v1.reply.';

/**
 * Frames of a pool's workers to a caller, of all its calls to them. The server's "no responders" goes to the same subject
 * with one more token. Only workers of `pool` may write it, and only `user`, the NATS user of the caller's process, may
 * read it.
 */
export const replySubject = (pool: string, user: string, caller: string) =>
  `${replies}${pool}.${user}.${caller}`;

/** Returns the pool whose workers may have written on a {@link replySubject}. */
export const replyingPool = (subject: string) =>
  subject.slice(replies.length, subject.indexOf('.', replies.length));

/** A worker's heartbeat. */
export const heartbeatSubject = (worker: string) => `gateway.v1.beat.${worker}`;

/** Every worker's heartbeats. */
export const anyHeartbeat = 'gateway.v1.beat.*.*';

/** Returns the worker whose heartbeats have this subject. */
export const heartbeatingWorker = (subject: string) => subject.split('.').slice(3).join('.');

/** Changes of a bucket, published before their writes. */
export const announceSubject = (bucket: string) => `gateway.v1.changed.${bucket}`;

/** Usage records of ingresses, an array per message; stored in the stream `USAGE`. */
export const usageSubject = 'gateway.v1.usage';

/** The same of the workers of a pool, which must prove that they served a call of the token. */
export const workerUsageSubject = (pool: string) => `${usageSubject}.${pool}`;

/** Logged requests, one per message; stored in the stream `LOGGED` until control has them. */
export const loggedSubject = 'gateway.v1.logged';

/** Keys of cancelled background responses. */
export const cancelledSubject = 'gateway.v1.cancelled';

/** Messages to the process that counts limits, of that process to one other, and of it to all. Only `user` may read its answers. */
export const leaderSubjects = {
  ask: 'gateway.v1.limits.ask',
  answer: (user: string, process: string) => `gateway.v1.limits.answer.${user}.${process}`,
  all: 'gateway.v1.limits.all',
};

/** The subjects of questions, and of their answers to one process. Only `user` may read its answers. */
export interface QuestionSubjects {
  ask: string;
  answer(user: string, process: string): string;
}

/** Questions to the process that counts limits about what is left of them. */
export const leftSubjects: QuestionSubjects = {
  ask: 'gateway.v1.left.ask',
  answer: (user, process) => `gateway.v1.left.answer.${user}.${process}`,
};

/** Questions to the controls about what was spent. */
export const spendingSubjects: QuestionSubjects = {
  ask: 'gateway.v1.spending.ask',
  answer: (user, process) => `gateway.v1.spending.answer.${user}.${process}`,
};

/** Questions of control to all processes about themselves. */
export const processSubjects: QuestionSubjects = {
  ask: 'gateway.v1.process.ask',
  answer: (user, process) => `gateway.v1.process.answer.${user}.${process}`,
};

/**
 * Questions of control to all processes that answer requests, about those in flight. `here`: signs of life of these processes;
 * `changes`: changes of requests, while a control follows them.
 */
export const runningSubjects: QuestionSubjects & Record<'here' | 'changes', string> = {
  ask: 'gateway.v1.running.ask',
  answer: (user, process) => `gateway.v1.running.answer.${user}.${process}`,
  here: 'gateway.v1.running.here',
  changes: 'gateway.v1.running.changes',
};

/** Questions of control to the workers of a pool: tests of a target. */
export const testSubjects = (pool: string): QuestionSubjects => ({
  ask: `gateway.v1.test.ask.${pool}`,
  answer: (user, process) => `gateway.v1.test.answer.${user}.${process}`,
});

/** The queue group of controls, of which one answers each question. */
export const controlQueue = 'controls';

/** Prefix of the subjects for replies to a user's requests; only this user may read them. */
export const inboxPrefix = (user: string) => `_INBOX_${user}`;

/** Valid names of a pool: one token of a NATS subject. */
export const poolName = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns the reply subject of a caller. That of an opening ends in the call's id, for the server's "no responders". */
export function callerOf(reply: string, call: number): string {
  const id = `.${call}`;
  return reply.endsWith(id) ? reply.slice(0, -id.length) : reply;
}
