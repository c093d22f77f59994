import { randomUUID } from 'node:crypto';
import { JetStreamApiError, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from 'nats';
import { isFull, StoreFullError } from './full.ts';

/** Somebody else has written the key meanwhile. */
export class RevisionConflictError extends Error {
  override readonly name = 'RevisionConflictError';
}

export interface PublishOptions {
  stream: string;
  ttlMs: number;
  extra?: MsgHdrs;
  /** The place of the subject's last message; 0 for none. */
  after?: number | undefined;
  /** For how long it is tried, in milliseconds. */
  patience?: number;
}

const idHeader = 'Nats-Msg-Id';

/** Adds one message to a stream, however often its acknowledgement is lost; its place. @throws RevisionConflictError, StoreFullError */
export async function publish(
  { client, manager }: { client: JetStreamClient; manager: JetStreamManager },
  subject: string,
  value: Uint8Array,
  { stream, ttlMs, extra = headers(), after, patience }: PublishOptions,
): Promise<number> {
  const msgID = randomUUID();
  const options = {
    msgID,
    ttl: `${Math.max(1, Math.ceil(ttlMs / 1_000))}s`,
    headers: extra,
    ...(after !== undefined && { expect: { lastSubjectSequence: after } }),
  };
  try {
    return (await retried(() => client.publish(subject, value, options), patience)).seq;
  } catch (cause) {
    if (isFull(cause)) throw new StoreFullError(`no room for ${subject}`, { cause });
    if (!isConflict(cause)) throw cause;
    // A server of its own sees that a second copy comes too late before it sees that it is one.
    const last = await retried(() => manager.streams.getMessage(stream, { last_by_subj: subject }));
    if (last?.header.get(idHeader) === msgID) return last.seq;
    throw new RevisionConflictError(`${subject} was written meanwhile`, { cause });
  }
}

/** For how long what fails is tried again: NATS takes 4 to 9 s to choose a leader. */
const patienceMs = 10_000;
const pauseMs = 200;
/** The stream's last message of a subject is another one than was expected. */
const wrongLastSequence = 10_071;

/** Does something until it works; what the server refuses for good is not tried again. */
export async function retried<T>(work: () => Promise<T>, patience = patienceMs): Promise<T> {
  const giveUp = Date.now() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isConflict(error) || isFull(error) || Date.now() > giveUp) throw error;
      await new Promise(resolve => setTimeout(resolve, pauseMs));
    }
  }
}

/** Whether the server refused a write since another one came first. */
function isConflict(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === wrongLastSequence;
}
