import { type Bus, jetStream, type QueueNames, streamManager, subscribe } from '@model-gateway/bus';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { isFull, ShareExceededError, StoreFullError } from './full.ts';
import { ownersPart } from './owner-share.ts';
import { retried } from './publish.ts';

/** Interval of the heartbeats of a job, in milliseconds: a runner that stands still for 15 s before one is due loses no job. */
const heartbeatMs = 2_000;
const pauseMs = 500;

/** A job that was delivered to a runner. */
export interface Job {
  /** The text passed to {@link WorkQueue.add}. */
  text: string;
  /** Number of this delivery, from 1. */
  attempt: number;
  /** Aborts when this process stops; the job is then delivered to another process. */
  signal: AbortSignal;
}

/** `again`: retry after a pause. `left`: another process has taken the job over. */
export type JobEnd = 'done' | 'again' | 'left';

interface WorkQueueOptions {
  /** The most jobs that this process runs at once. */
  together: number;
  run(job: Job): Promise<JobEnd>;
  failed(error: unknown): void;
}

/** A durable queue of jobs in NATS. Each job runs in one process at a time, and is retried until it is done. */
export class WorkQueue {
  readonly #bus: Bus;
  readonly #names: QueueNames;
  readonly #options: WorkQueueOptions;
  readonly #drained = new AbortController();
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #loop: Promise<void> | undefined;

  constructor(bus: Bus, names: QueueNames, options: WorkQueueOptions) {
    this.#bus = bus;
    this.#names = names;
    this.#options = options;
  }

  /**
   * Adds a job of an owner, which must be a valid subject token; `id` deduplicates it. Resolves once it is stored.
   * @throws StoreFullError, ShareExceededError
   */
  async add(text: string, id: string, owner: string): Promise<void> {
    const client = jetStream(this.#bus);
    const ownerSubject = `${this.#names.subjects}.${owner}`;
    if (await this.#isUsedUpBy(ownerSubject))
      throw new ShareExceededError('this owner has half of the jobs that may wait');
    try {
      await retried(this.#bus.clock, () => client.publish(ownerSubject, text, { msgID: id }));
    } catch (error) {
      throw isFull(error) ? new StoreFullError('the job queue is full', { cause: error }) : error;
    }
  }

  /** Estimates an owner's bytes from its number of jobs, since jobs are of similar size. */
  async #isUsedUpBy(ownerSubject: string): Promise<boolean> {
    const manager = await streamManager(this.#bus);
    const pending = manager.streams.info(this.#names.stream, { subjects_filter: ownerSubject });
    const info = await pending.catch(() => undefined);
    const count = info?.state.subjects?.[ownerSubject] ?? 0;
    if (!info || count === 0) return false;
    const { state, config } = info;
    return (count * state.bytes) / state.messages > config.max_bytes / ownersPart;
  }

  /** Publishes to all processes that a key's job is cancelled, so that its runner stops it. The message is not stored. */
  announceCancelled(key: string): void {
    if (this.#bus.connected()) this.#bus.state.publish(this.#names.cancelled, key);
  }

  /** Calls `cancelled` for each key of {@link announceCancelled}. The returned function unsubscribes. */
  followCancelled(cancelled: (key: string) => void): () => void {
    const { state, faults } = this.#bus;
    const subscription = subscribe(state, this.#names.cancelled, faults, message =>
      cancelled(message.string()),
    );
    return () => subscription.unsubscribe();
  }

  start(): void {
    this.#loop ??= this.#take();
  }

  /** Takes no more jobs; resolves when the running jobs have ended. */
  async drain(): Promise<void> {
    this.#drained.abort();
    await Promise.all(this.#running);
  }

  /** Stops, and returns the running jobs to the queue. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.drain();
  }

  async #take(): Promise<void> {
    const { signal } = this.#drained;
    const { stream, consumer: name } = this.#names;
    let consumer: Consumer | undefined;
    while (!signal.aborted) {
      if (this.#running.size >= this.#options.together) {
        await Promise.race(this.#running);
        continue;
      }
      try {
        consumer ??= await jetStream(this.#bus).consumers.get(stream, name);
        const message = await consumer.next({ expires: 5_000 });
        if (!message) continue;
        if (signal.aborted) message.nak();
        else this.#start(message);
      } catch (error) {
        consumer = undefined;
        if (!signal.aborted) this.#options.failed(error);
        await this.#bus.clock.sleep(pauseMs);
      }
    }
  }

  #start(message: JsMsg): void {
    const running = this.#run(message).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(message: JsMsg): Promise<void> {
    const { clock } = this.#bus;
    const heartbeat = clock.setInterval(() => message.working(), heartbeatMs);
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
      clock.clearInterval(heartbeat);
    }
  }
}

function backOff(attempt: number): number {
  return Math.min(30_000, 250 * 2 ** attempt);
}
