import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { Bus } from '../connection.ts';
import { jetStream, streams } from '../jet-stream.ts';
import { cancelledSubject } from '../subjects.ts';
import { isFull, ShareExceededError, StoreFullError } from './full.ts';
import { ownersPart } from './owner-share.ts';
import { retried } from './publish.ts';
import { jobs, silentMs } from './streams.ts';

const { stream, subjects: subject } = jobs;
const heartbeatMs = silentMs / 3;
const pauseMs = 500;

/** A job, as the runner that it was given to sees it. */
export interface Job {
  /** What {@link WorkQueue.add} was given. */
  text: string;
  /** Which time it is given away, from 1. */
  attempt: number;
  /** Aborts when this process stops: what is under way is given to another. */
  signal: AbortSignal;
}

/** `again`: another attempt, after a pause. `left`: it is somebody else's by now. */
export type JobEnd = 'done' | 'again' | 'left';

export interface WorkQueueOptions {
  /** Jobs that this process runs at once. */
  together: number;
  run(job: Job): Promise<JobEnd>;
  failed(error: unknown): void;
}

/** Jobs that outlive every process but NATS. Each is run by one process at a time, again and again until it is done. */
export class WorkQueue {
  readonly #bus: Bus;
  readonly #options: WorkQueueOptions;
  readonly #drained = new AbortController();
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #loop: Promise<void> | undefined;

  constructor(bus: Bus, options: WorkQueueOptions) {
    this.#bus = bus;
    this.#options = options;
  }

  /** Resolves once a job of this owner, a token of a subject, lasts; `id` makes a second copy none. @throws StoreFullError, ShareExceededError */
  async add(text: string, id: string, owner: string): Promise<void> {
    const client = jetStream(this.#bus);
    const own = `${subject}.${owner}`;
    if (await this.#isUsedUpBy(own))
      throw new ShareExceededError('half of all jobs that may wait are of one owner');
    try {
      await retried(() => client.publish(own, text, { msgID: id }));
    } catch (error) {
      throw isFull(error) ? new StoreFullError('too many jobs wait', { cause: error }) : error;
    }
  }

  /** Jobs are about as large as each other: of one that has half of the room as many wait. */
  async #isUsedUpBy(own: string): Promise<boolean> {
    const manager = await streams(this.#bus);
    const asked = manager.streams.info(stream, { subjects_filter: own });
    const info = await asked.catch(() => undefined);
    const count = info?.state.subjects?.[own] ?? 0;
    if (!info || count === 0) return false;
    const { state, config } = info;
    return (count * state.bytes) / state.messages > config.max_bytes / ownersPart;
  }

  start(): void {
    this.#loop ??= this.#take();
  }

  /** Takes no more jobs; resolves when those that run are over. */
  async drain(): Promise<void> {
    this.#drained.abort();
    await Promise.all(this.#running);
  }

  /** Gives back what is under way. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.drain();
  }

  async #take(): Promise<void> {
    const { signal } = this.#drained;
    let consumer: Consumer | undefined;
    while (!signal.aborted) {
      if (this.#running.size >= this.#options.together) {
        await Promise.race(this.#running);
        continue;
      }
      try {
        consumer ??= await jetStream(this.#bus).consumers.get(stream, jobs.consumer);
        const message = await consumer.next({ expires: 5_000 });
        if (!message) continue;
        if (signal.aborted) message.nak();
        else this.#start(message);
      } catch (error) {
        consumer = undefined;
        if (!signal.aborted) this.#options.failed(error);
        await new Promise(resolve => setTimeout(resolve, pauseMs));
      }
    }
  }

  #start(message: JsMsg): void {
    const running = this.#run(message).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(message: JsMsg): Promise<void> {
    const beat = setInterval(() => message.working(), heartbeatMs);
    const { signal } = this.#stopped;
    try {
      const job = { text: message.string(), attempt: message.info.deliveryCount, signal };
      const end = await this.#options.run(job);
      if (signal.aborted && end === 'again') message.nak();
      else if (end === 'again') message.nak(backOff(job.attempt));
      else if (end === 'done') message.ack();
    } catch (error) {
      this.#options.failed(error);
      message.nak(backOff(message.info.deliveryCount));
    } finally {
      clearInterval(beat);
    }
  }
}

function backOff(attempt: number): number {
  return Math.min(30_000, 250 * 2 ** attempt);
}

/** Tells every process that a key's work is not wanted any more; where it runs, it is stopped. Nothing keeps the word. */
export function announceCancelled(bus: Bus, key: string): void {
  if (bus.connected()) bus.state.publish(cancelledSubject, key);
}

/** Has `cancelled` called for each key of {@link announceCancelled}; returns what ends that. */
export function followCancelled(bus: Bus, cancelled: (key: string) => void): () => void {
  const subscription = bus.state.subscribe(cancelledSubject, {
    callback: (error, message) => {
      if (!error) cancelled(message.string());
    },
  });
  return () => subscription.unsubscribe();
}
