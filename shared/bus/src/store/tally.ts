import type { JetStreamManager } from '@nats-io/jetstream';
import { headers } from 'nats';
import type { Bus } from '../connection.ts';
import { streams } from '../jet-stream.ts';
import { countersOf, periodOf } from './streams.ts';

/** Interval at which counts are published, in milliseconds. */
const joinMs = 250;
/** Estimated bytes that a message uses in a stream beside its data: subject, headers and file record. */
export const messageOverhead = 200;
const increment = 'Nats-Incr';

export interface TallyOptions {
  /** The stream whose bytes are counted, and the prefix of its subjects. */
  stream: string;
  subjects: string;
  /** Time to live of the counted messages, in milliseconds. */
  ttlMs: number;
}

/**
 * Counts each owner's bytes in a stream, in NATS counters that all processes share. There is one counter per period,
 * which expires with the messages of that period; a count that a lost process did not publish is corrected then too.
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

  /** Counts bytes that an owner wrote at `at`; a negative number counts bytes that were removed. */
  add(owner: string, bytes: number, at = Date.now()): void {
    const subject = `${this.#subjectOf(owner)}.${Math.floor(at / this.#periodMs)}`;
    this.#waiting.set(subject, (this.#waiting.get(subject) ?? 0) + bytes);
  }

  /** Returns the bytes of an owner that have not expired, within a few percent. */
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

  /** The fraction of a period's bytes that has not expired, from 0 to 1. */
  #partLeft(period: number, now: number): number {
    const end = (period + 1) * this.#periodMs;
    return Math.min(1, Math.max(0, (end - (now - this.#options.ttlMs)) / this.#periodMs));
  }

  /** The subject of an owner's counters. It holds the period's length, since periods of another length are not comparable. */
  #subjectOf(owner: string): string {
    return `${countersOf(this.#options).subjects}.${owner}.${this.#periodMs}`;
  }

  #flush(): void {
    // While NATS is unreachable, counts wait.
    if (!this.#bus.connected() || this.#bus.state.isClosed()) return;
    for (const [subject, bytes] of this.#waiting) {
      const extra = headers();
      extra.set(increment, bytes < 0 ? `${bytes}` : `+${bytes}`);
      if (bytes !== 0) this.#bus.state.publish(subject, undefined, { headers: extra });
    }
    this.#waiting.clear();
  }
}
