import { randomUUID } from 'node:crypto';
import type { UsageRecord } from '@model-gateway/canonical';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from 'nats';
import type { Bus } from './connection.ts';
import { jetStream } from './jet-stream.ts';
import { usageSubject } from './subjects.ts';
import { shortenUsage, type UsageText, writeUsage } from './usage-text.ts';

/** The most bytes of one message of usage records; never more than half of what the server takes. */
export const maxUsageMessageBytes = 256 * 1024;
/** The most records of one message. */
export const maxUsageMessageRecords = 100;
/** The most bytes of one usage record as JSON; a longer one is shortened. */
export const maxUsageRecordBytes = 64 * 1024;
/** The most records that wait in a process while NATS does not take them; the next ones are dropped and counted. */
export const maxWaitingRecords = 100_000;
/** The most bytes that these take. */
export const maxWaitingBytes = 64 * 1024 * 1024;

/** The time that records wait for others of the same message, in milliseconds. */
const joinMs = 100;
const retryMs = 500;
/** The least time between two reports of dropped records, in milliseconds. */
const tellMs = 10_000;
/** The server's code for a message that is larger than its stream takes. */
const tooLargeForStream = 10_054;
/** The brackets around the records of a message. */
const brackets = 2;

/** Records that were given up. */
export interface DroppedUsage {
  /** Their number since the last report. */
  records: number;
  reason: string;
  /** The last of them, if it was for what it holds. */
  example?: string | undefined;
}

export interface UsageWriterOptions {
  /** Hears of records that were given up, at most every ten seconds. */
  onDropped?(dropped: DroppedUsage): void;
  /** Hears why records have to wait, once until they go again. */
  onWaiting?(error: unknown): void;
}

interface Waiting extends UsageText {
  /** Time of `performance.now()` at which it was added. */
  since: number;
}

/** Writes usage records to JetStream, in the background. */
export class UsageWriter {
  readonly #bus: Bus;
  readonly #options: UsageWriterOptions;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;
  #failing = false;
  /** The most records of the next message: fewer for a while after the server found one too large. */
  #atOnce = maxUsageMessageRecords;
  #untold: DroppedUsage | undefined;
  #telling: NodeJS.Timeout | undefined;
  /** Records that were given up: too many waited, or one was too large to be sent. */
  dropped = 0;
  /** Records that were shortened, since they were too large to be sent as they were. */
  shortened = 0;

  constructor(bus: Bus, options: UsageWriterOptions = {}) {
    this.#bus = bus;
    this.#options = options;
  }

  /** Takes a record; nobody waits for it. */
  add(record: UsageRecord): void {
    const written = writeUsage(record, maxUsageRecordBytes);
    if (!written) return this.#drop('it is too large to be sent', `${record.id} of ${record.requestId}`);
    if (this.#waiting.length >= maxWaitingRecords || this.#bytes + written.bytes > maxWaitingBytes)
      return this.#drop('too many wait for NATS');
    if (written.shortened) this.shortened++;
    this.#waiting.push({ ...written, since: performance.now() });
    this.#bytes += written.bytes;
    if (this.#waiting.length >= maxUsageMessageRecords) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), joinMs);
  }

  /** The number of records that JetStream does not have yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The size of these as JSON. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  /** The age of the oldest of these, in milliseconds; 0 if none waits. */
  get waitingMs(): number {
    const [oldest] = this.#waiting;
    return oldest ? performance.now() - oldest.since : 0;
  }

  /** Writes what waits, for at most `timeoutMs`; what waits even then is dropped. */
  async close(timeoutMs = 5_000): Promise<void> {
    this.#send();
    const timer = setTimeout(() => {
      this.#closed = true;
    }, timeoutMs);
    await this.#sending;
    clearTimeout(timer);
    for (const _ of this.#waiting.splice(0)) this.#drop('the process ended while NATS did not take it');
    this.#bytes = 0;
    this.#tell();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      const count = this.#nextCount();
      if (count === 0) {
        this.#shortenFirst(this.#maxBytes - brackets);
        continue;
      }
      const outcome = await this.#publish(this.#waiting.slice(0, count));
      if (outcome === 'sent') this.#sent(count);
      if (outcome === 'refused') this.#refused(count);
    }
  }

  get #maxBytes(): number {
    const { max_payload = maxUsageMessageBytes } = this.#bus.state.info ?? {};
    return Math.min(maxUsageMessageBytes, Math.floor(max_payload / 2));
  }

  /** The number of the oldest records that one message carries; 0 if the first is too large alone. */
  #nextCount(): number {
    const most = Math.min(this.#atOnce, this.#waiting.length);
    let room = this.#maxBytes - brackets;
    for (let count = 0; count < most; count++) {
      room -= (this.#waiting[count] as Waiting).bytes;
      if (room < 0) return count;
      // The comma before the next.
      room--;
    }
    return most;
  }

  #sent(count: number): void {
    for (const { bytes } of this.#waiting.splice(0, count)) this.#bytes -= bytes;
    this.#atOnce = Math.min(2 * this.#atOnce, maxUsageMessageRecords);
    this.#failing = false;
  }

  /** So many records are too large together: fewer are tried, or a single one is shortened. */
  #refused(count: number): void {
    if (count > 1) this.#atOnce = Math.ceil(count / 2);
    else this.#shortenFirst(Math.floor((this.#waiting[0] as Waiting).bytes / 2));
  }

  /** Makes the oldest record fit, or gives it up. */
  #shortenFirst(maxBytes: number): void {
    const first = this.#waiting[0] as Waiting;
    const written = shortenUsage(first, maxBytes);
    this.#bytes += (written?.bytes ?? 0) - first.bytes;
    if (written) {
      if (!first.shortened) this.shortened++;
      this.#waiting[0] = { ...written, shortened: true, since: first.since };
      return;
    }
    this.#waiting.shift();
    this.#drop('NATS does not take a message that is large enough for it', first.text.slice(0, 2_000));
  }

  /**
   * Sends records until they are acknowledged, under one id, so that a second copy is none.
   * `refused` says that the server will never take the message, since it is too large; `stopped` that time is up.
   */
  async #publish(records: readonly UsageText[]): Promise<'sent' | 'refused' | 'stopped'> {
    const client = jetStream(this.#bus);
    const message = `[${records.map(({ text }) => text).join(',')}]`;
    const msgID = randomUUID();
    for (;;) {
      try {
        await client.publish(usageSubject, message, { msgID });
        return 'sent';
      } catch (error) {
        if (isTooLarge(error)) return 'refused';
        if (!this.#failing) this.#options.onWaiting?.(error);
        this.#failing = true;
        await new Promise(resolve => setTimeout(resolve, retryMs));
        if (this.#closed) return 'stopped';
      }
    }
  }

  #drop(reason: string, example?: string): void {
    this.dropped++;
    const records = (this.#untold?.records ?? 0) + 1;
    this.#untold = { records, reason, example: example ?? this.#untold?.example };
    if (!this.#telling) this.#tell();
  }

  /** Tells of what was dropped now, and not again for a while. */
  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    if (!this.#untold) return;
    this.#options.onDropped?.(this.#untold);
    this.#untold = undefined;
    this.#telling = setTimeout(() => this.#tell(), tellMs).unref();
  }
}

function isTooLarge(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === tooLargeForStream;
  return error instanceof errors.InvalidArgumentError && error.message.includes('max_payload');
}
