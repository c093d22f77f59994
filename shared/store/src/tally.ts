import { type Bus, countersOf, type StoreClients, type StreamNames, storeClients } from '@model-gateway/bus';
import type { Timer } from '@model-gateway/clock';
import type { JetStreamManager } from '@nats-io/jetstream';
import { headers, type NatsConnection } from 'nats';
import { periodOf } from './streams.ts';

/** Time in which counts are joined before they are published, in milliseconds. */
const joinMs = 250;
/** Estimated bytes that a message uses in a stream beside its data: subject, headers and file record. */
export const messageOverhead = 200;
const increment = 'Nats-Incr';

/** The stream whose bytes are counted. */
export interface TallyOptions extends StreamNames {
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
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #periodMs: number;
  readonly #waiting = new Map<string, number>();
  /** Runs while counts wait. */
  #timer: Timer | undefined;

  private constructor(bus: Bus, { connection, manager }: StoreClients, options: TallyOptions) {
    this.#bus = bus;
    this.#connection = connection;
    this.#manager = manager;
    this.#options = options;
    this.#periodMs = periodOf(options.ttlMs);
  }

  static async open(bus: Bus, options: TallyOptions): Promise<Tally> {
    return new Tally(bus, await storeClients(bus), options);
  }

  /** Counts bytes that an owner wrote at `at`; a negative number counts bytes that were removed. */
  add(owner: string, bytes: number, at = this.#bus.clock.now()): void {
    const subject = `${this.#subjectOf(owner)}.${Math.floor(at / this.#periodMs)}`;
    this.#waiting.set(subject, (this.#waiting.get(subject) ?? 0) + bytes);
    this.#flushSoon();
  }

  /** Returns the bytes of an owner that have not expired, within a few percent. */
  async of(owner: string, now = this.#bus.clock.now()): Promise<number> {
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
    this.#flush();
    this.#bus.clock.clearTimeout(this.#timer);
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

  #flushSoon(): void {
    this.#timer ??= this.#bus.clock.setTimeout(() => this.#flush(), joinMs).unref();
  }

  #flush(): void {
    this.#bus.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    // A connection that closes takes no message. The counts expire with their period, as those of a lost process do.
    if (this.#connection.isClosed() || this.#connection.isDraining()) return this.#waiting.clear();
    // While NATS is unreachable, counts wait.
    if (!this.#bus.isUp('store')) return this.#flushSoon();
    for (const [subject, bytes] of this.#waiting) {
      const extra = headers();
      extra.set(increment, bytes < 0 ? `${bytes}` : `+${bytes}`);
      if (bytes !== 0) this.#connection.publish(subject, undefined, { headers: extra });
    }
    this.#waiting.clear();
  }
}
