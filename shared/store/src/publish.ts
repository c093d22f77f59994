import { randomUUID } from 'node:crypto';
import type { Clock } from '@model-gateway/clock';
import { JetStreamApiError, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from 'nats';
import { isFull, StoreFullError } from './full.ts';

/** Thrown if another writer has changed the key. */
export class RevisionConflictError extends Error {
  override readonly name = 'RevisionConflictError';
}

interface PublishOptions {
  stream: string;
  ttlMs: number;
  extra?: MsgHdrs;
  /** The expected sequence number of the subject's last message; 0 for a new subject. */
  after?: number | undefined;
  /** Time for which the write is retried, in milliseconds. */
  patience?: number;
}

const idHeader = 'Nats-Msg-Id';

/**
 * Adds one message to a stream exactly once, even if its acknowledgement is lost. Returns its sequence number.
 * @throws RevisionConflictError, StoreFullError
 */
export async function publish(
  { client, manager, clock }: { client: JetStreamClient; manager: JetStreamManager; clock: Clock },
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
    return (await retried(clock, () => client.publish(subject, value, options), patience)).seq;
  } catch (cause) {
    if (isFull(cause)) throw new StoreFullError(`the stream has no room for ${subject}`, { cause });
    if (!isConflict(cause)) throw cause;
    // A single server checks the sequence before it checks for duplicates, so a repeated write looks like a conflict.
    const last = await retried(clock, () => manager.streams.getMessage(stream, { last_by_subj: subject }));
    if (last?.header.get(idHeader) === msgID) return last.seq;
    throw new RevisionConflictError(`another writer has changed ${subject}`, { cause });
  }
}

/** Time for which a failed operation is retried, in milliseconds: NATS takes 4 to 9 s to elect a leader. */
const patienceMs = 10_000;
const pauseMs = 200;
/** NATS error code: the subject's last sequence number is not the expected one. */
const wrongLastSequence = 10_071;

/** Retries an operation until it succeeds or `signal` aborts. Conflicts and full streams are not retried. */
export async function retried<T>(
  clock: Clock,
  work: () => Promise<T>,
  patience = patienceMs,
  signal?: AbortSignal,
): Promise<T> {
  const giveUp = clock.now() + patience;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (isConflict(error) || isFull(error) || clock.now() > giveUp) throw error;
      await clock.sleep(pauseMs);
    }
  }
}

/** True if the server refused a write because another one came first. */
function isConflict(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === wrongLastSequence;
}
