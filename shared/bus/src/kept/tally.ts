import { type JetStreamManager, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { headers } from 'nats';
import type { Bus } from '../connection.ts';
import { streams } from '../jet-stream.ts';

/** Bytes that were written in one of this many parts of the time to live are counted together. */
const periods = 24;
/** For how long what is counted waits for more of the same, in milliseconds. */
const joinMs = 250;
/** The bytes that a message takes in a stream beside its own: its subject, headers and a place in a file. */
export const messageOverhead = 200;
const increment = 'Nats-Incr';

export interface TallyOptions {
  /** The stream whose bytes are counted, and what its subjects begin with. */
  stream: string;
  subjects: string;
  replicas: number;
  /** The time for which what is counted lasts, in milliseconds. */
  ttlMs: number;
  /** The most bytes that the counts themselves may take. */
  maxBytes: number;
}

/**
 * Bytes that each owner has in a stream, as counters of NATS: every process adds to the same ones. What expires leaves the count
 * with the period in which it was written, and so does what a process could not tell before it was lost.
 */
export class Tally {
  readonly #bus: Bus;
  readonly #options: TallyOptions;
  readonly #manager: JetStreamManager;
  readonly #periodMs: number;
  readonly #waiting = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #made: Promise<unknown> | undefined;

  private constructor(bus: Bus, manager: JetStreamManager, options: TallyOptions) {
    this.#bus = bus;
    this.#manager = manager;
    this.#options = options;
    this.#periodMs = Math.max(1_000, Math.ceil(options.ttlMs / periods));
    this.#timer = setInterval(() => this.#flush(), joinMs).unref();
  }

  static async open(bus: Bus, options: TallyOptions): Promise<Tally> {
    const tally = new Tally(bus, await streams(bus), options);
    await tally.#make().catch(() => {});
    return tally;
  }

  /** Counts bytes that an owner wrote, or less than nothing for those that were removed, which were written `at`. */
  add(owner: string, bytes: number, at = Date.now()): void {
    const subject = `${this.#subjectOf(owner)}.${Math.floor(at / this.#periodMs)}`;
    this.#waiting.set(subject, (this.#waiting.get(subject) ?? 0) + bytes);
  }

  /** The bytes of an owner that are there, within a few percent. */
  async of(owner: string, now = Date.now()): Promise<number> {
    this.#flush();
    await this.#make();
    const query = { multi_last: [`${this.#subjectOf(owner)}.*`] };
    const found = await this.#manager.direct.getLastMessagesFor(this.#name, query);
    let sum = 0;
    for await (const message of found) {
      const period = Number(message.subject.split('.').at(-1));
      sum += this.#partLeft(period, now) * Number(message.json<{ val: string }>().val);
    }
    return Math.max(0, sum);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#flush();
  }

  /** The part of what was written in a period that has not expired. */
  #partLeft(period: number, now: number): number {
    const end = (period + 1) * this.#periodMs;
    return Math.min(1, Math.max(0, (end - (now - this.#options.ttlMs)) / this.#periodMs));
  }

  get #name(): string {
    return `${this.#options.stream}_BYTES`;
  }

  /** Counts of another length of periods are others. */
  #subjectOf(owner: string): string {
    return `${this.#options.subjects}-bytes.${owner}.${this.#periodMs}`;
  }

  #flush(): void {
    // What was counted while NATS is away waits for it.
    if (!this.#bus.connected() || this.#bus.state.isClosed()) return;
    for (const [subject, bytes] of this.#waiting) {
      const extra = headers();
      extra.set(increment, bytes < 0 ? `${bytes}` : `+${bytes}`);
      if (bytes !== 0) this.#bus.state.publish(subject, undefined, { headers: extra });
    }
    this.#waiting.clear();
  }

  /** Makes the counters where there are none. */
  #make(): Promise<unknown> {
    const { subjects, replicas, ttlMs, maxBytes } = this.#options;
    const config: Partial<StreamConfig> & { name: string } = {
      name: this.#name,
      subjects: [`${subjects}-bytes.>`],
      storage: StorageType.File,
      allow_msg_counter: true,
      allow_direct: true,
      max_msgs_per_subject: 1,
      max_age: (ttlMs + 2 * this.#periodMs) * 1_000_000,
      max_bytes: maxBytes,
      num_replicas: replicas,
    };
    this.#made ??= this.#manager.streams
      .add(config)
      .catch(() => this.#manager.streams.update(config.name, config))
      .catch(error => {
        this.#made = undefined;
        throw error;
      });
    return this.#made;
  }
}
