import type { JetStreamManager } from '@nats-io/jetstream';
import { headers } from 'nats';
import type { Bus } from '../connection.ts';
import { streams } from '../jet-stream.ts';
import { countersOf, periodOf } from './streams.ts';

/** For how long what is counted waits for more of the same, in milliseconds. */
const joinMs = 250;
/** The bytes that a message takes in a stream beside its own: its subject, headers and a place in a file. */
export const messageOverhead = 200;
const increment = 'Nats-Incr';

export interface TallyOptions {
  /** The stream whose bytes are counted, and what its subjects begin with. */
  stream: string;
  subjects: string;
  /** The time for which what is counted lasts, in milliseconds. */
  ttlMs: number;
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

  private constructor(bus: Bus, manager: JetStreamManager, options: TallyOptions) {
    this.#bus = bus;
    this.#manager = manager;
    this.#options = options;
    this.#periodMs = periodOf(options.ttlMs);
    this.#timer = setInterval(() => this.#flush(), joinMs).unref();
  }

  static async open(bus: Bus, options: TallyOptions): Promise<Tally> {
    return new Tally(bus, await streams(bus), options);
  }

  /** Counts bytes that an owner wrote, or less than nothing for those that were removed, which were written `at`. */
  add(owner: string, bytes: number, at = Date.now()): void {
    const subject = `${this.#subjectOf(owner)}.${Math.floor(at / this.#periodMs)}`;
    this.#waiting.set(subject, (this.#waiting.get(subject) ?? 0) + bytes);
  }

  /** The bytes of an owner that are there, within a few percent. */
  async of(owner: string, now = Date.now()): Promise<number> {
    this.#flush();
    const query = { multi_last: [`${this.#subjectOf(owner)}.*`] };
    const found = await this.#manager.direct.getLastMessagesFor(countersOf(this.#options).stream, query);
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

  /** Counts of another length of periods are others. */
  #subjectOf(owner: string): string {
    return `${countersOf(this.#options).subjects}.${owner}.${this.#periodMs}`;
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
}
