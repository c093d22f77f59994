import { randomUUID } from 'node:crypto';
import type { RefusedRecord, UsageRecord } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import { errors } from 'nats';
import { type Bus, jetStream } from './connection.ts';
import { usageSubject, workerUsageSubject } from './subjects.ts';

/** The most bytes in one message of usage records; never more than half of the server's `max_payload`. */
export const maxUsageMessageBytes = 256 * 1024;
/** The most records in one message. */
export const maxUsageMessageRecords = 250;
/** The most bytes of one usage record as JSON; a longer record is shortened. */
export const maxUsageRecordBytes = 64 * 1024;
/** The most records that wait in a process while NATS is unavailable; further records are dropped and counted. */
export const maxWaitingRecords = 100_000;
/** The most bytes of waiting records. */
export const maxWaitingBytes = 64 * 1024 * 1024;

/** Time that a record waits for others to share its message, in milliseconds. */
const joinMs = 100;
const retryMs = 500;
/** Minimum time between two reports of dropped records, in milliseconds. */
const reportMs = 10_000;
/** NATS error code: the message is larger than the stream allows. */
const tooLargeForStream = 10_054;
/** A report of dropped records. */
export interface DroppedUsage {
  /** Number of records dropped since the last report. */
  records: number;
  reason: string;
  /** The last dropped record, if it was dropped because of its content. */
  example?: string | undefined;
}

interface UsageWriterOptions {
  /** The pool of a worker; absent for an ingress. */
  pool?: string | undefined;
  /** Called with each record. */
  onAdded?(record: UsageRecord): void;
  /** Called for dropped records, at most every 10 s. */
  onDropped?(dropped: DroppedUsage): void;
  /** Called with the reason once when records begin to wait, and again only after records were sent. */
  onWaiting?(error: unknown): void;
}

/** A serialized usage record. */
interface UsageText {
  text: string;
  /** The length of `text` in UTF-8. */
  bytes: number;
  /** True if parts of the record were left out. */
  shortened: boolean;
}

interface Waiting extends UsageText {
  /** The time at which the record was added, by the monotonic clock. */
  since: number;
}

/** Writes usage records to JetStream, in the background. */
export class UsageWriter {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #client: JetStreamClient;
  readonly #options: UsageWriterOptions;
  readonly #subject: string;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  /** True once the writer is asked to close: no record waits for others any more. */
  #closing = false;
  #closed = false;
  #failing = false;
  /** The most records of the next message; reduced for a while after the server refused a message as too large. */
  #atOnce = maxUsageMessageRecords;
  #unreported: DroppedUsage | undefined;
  #reportTimer: Timer | undefined;
  /** Number of dropped records: too many were waiting, or a record was too large to send. */
  dropped = 0;
  /** Number of records that were shortened because they were too large to send. */
  shortened = 0;

  constructor(bus: Bus, options: UsageWriterOptions = {}) {
    this.#bus = bus;
    this.#clock = bus.clock;
    this.#client = jetStream(bus);
    this.#options = options;
    this.#subject = options.pool ? workerUsageSubject(options.pool) : usageSubject;
  }

  /** Queues a record without blocking the caller. */
  add(record: UsageRecord): void {
    this.#options.onAdded?.(record);
    this.#add(record);
  }

  /** Queues a record that is of no attempt of this process: of refused requests, or of an attempt that its worker records, too. */
  addBeside(record: UsageRecord | RefusedRecord): void {
    this.#add(record);
  }

  #add(record: UsageRecord | RefusedRecord): void {
    const written = writeUsage(record, maxUsageRecordBytes);
    if (!written) return this.#drop('the record is too large to send', nameOf(record));
    if (this.#waiting.length >= maxWaitingRecords || this.#bytes + written.bytes > maxWaitingBytes)
      return this.#drop('too many records wait for NATS');
    if (written.shortened) this.shortened++;
    this.#waiting.push({ ...written, since: this.#clock.monotonic() });
    this.#bytes += written.bytes;
    if (this.#waiting.length >= maxUsageMessageRecords) this.#send();
    else this.#sendWithin(joinMs);
  }

  /** Number of records that JetStream has not acknowledged. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Bytes of the waiting records as JSON. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  /** Age of the oldest waiting record, in milliseconds; 0 if no record waits. */
  get waitingMs(): number {
    const [oldest] = this.#waiting;
    return oldest ? this.#clock.monotonic() - oldest.since : 0;
  }

  /** Sends the waiting records for at most `timeoutMs`, then drops the rest. */
  async close(timeoutMs = 5_000): Promise<void> {
    this.#closing = true;
    const timer = this.#clock.setTimeout(() => {
      this.#closed = true;
    }, timeoutMs);
    do {
      this.#send();
      await this.#sending;
    } while (this.#waiting.length > 0 && !this.#closed);
    this.#clock.clearTimeout(timer);
    for (const _ of this.#waiting.splice(0))
      this.#drop('the process ended before NATS acknowledged the record');
    this.#bytes = 0;
    this.#report();
  }

  #sendWithin(ms: number): void {
    this.#timer ??= this.#clock.setTimeout(() => this.#send(), ms);
  }

  #send(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendDue().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0 && !this.#closed) this.#sendWithin(joinMs - this.waitingMs);
    });
  }

  /** Sends a message, and further ones while the records that came meanwhile fill one or have waited long enough. */
  async #sendDue(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      const count = this.#nextCount();
      if (count === 0) {
        this.#shortenFirst(this.#maxBytes);
        continue;
      }
      const outcome = await this.#publish(this.#waiting.slice(0, count));
      if (outcome === 'sent') {
        this.#sent(count);
        const isFull = this.#waiting.length >= maxUsageMessageRecords;
        if (!isFull && !this.#closing && this.waitingMs < joinMs) return;
      }
      if (outcome === 'refused') this.#refused(count);
    }
  }

  /** The most bytes of the records of a message, without the two brackets around them. */
  get #maxBytes(): number {
    const { max_payload = maxUsageMessageBytes } = this.#bus.state.info ?? {};
    return Math.min(maxUsageMessageBytes, Math.floor(max_payload / 2)) - 2;
  }

  /** Number of the oldest records that fit in one message; 0 if the first is too large alone. */
  #nextCount(): number {
    const most = Math.min(this.#atOnce, this.#waiting.length);
    let room = this.#maxBytes;
    for (let count = 0; count < most; count++) {
      room -= (this.#waiting[count] as Waiting).bytes;
      if (room < 0) return count;
      // The comma before the next record.
      room--;
    }
    return most;
  }

  #sent(count: number): void {
    for (const { bytes } of this.#waiting.splice(0, count)) this.#bytes -= bytes;
    this.#atOnce = Math.min(2 * this.#atOnce, maxUsageMessageRecords);
    this.#failing = false;
  }

  /** Handles a message that is too large: sends fewer records, or shortens a single one. */
  #refused(count: number): void {
    if (count > 1) this.#atOnce = Math.ceil(count / 2);
    else this.#shortenFirst(Math.floor((this.#waiting[0] as Waiting).bytes / 2));
  }

  /** Shortens the oldest record to `maxBytes`, or drops it. */
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
    this.#drop('NATS refuses messages that are large enough for the record', first.text.slice(0, 2_000));
  }

  /**
   * Publishes records until they are acknowledged, under one message id so that NATS drops duplicates.
   * Returns `refused` if the message is too large for the server, `stopped` if the writer was closed.
   */
  async #publish(records: readonly UsageText[]): Promise<'sent' | 'refused' | 'stopped'> {
    const message = `[${records.map(({ text }) => text).join(',')}]`;
    const msgID = randomUUID();
    for (;;) {
      try {
        await this.#client.publish(this.#subject, message, { msgID });
        return 'sent';
      } catch (error) {
        if (isTooLarge(error)) return 'refused';
        if (!this.#failing) this.#options.onWaiting?.(error);
        this.#failing = true;
        await this.#clock.sleep(retryMs);
        if (this.#closed) return 'stopped';
      }
    }
  }

  #drop(reason: string, example?: string): void {
    this.dropped++;
    const records = (this.#unreported?.records ?? 0) + 1;
    this.#unreported = { records, reason, example: example ?? this.#unreported?.example };
    if (!this.#reportTimer) this.#report();
  }

  /** Reports dropped records, then not again for `reportMs`. */
  #report(): void {
    this.#clock.clearTimeout(this.#reportTimer);
    this.#reportTimer = undefined;
    if (!this.#unreported) return;
    this.#options.onDropped?.(this.#unreported);
    this.#unreported = undefined;
    this.#reportTimer = this.#clock.setTimeout(() => this.#report(), reportMs).unref();
  }
}

export function isTooLarge(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === tooLargeForStream;
  return error instanceof errors.InvalidArgumentError && error.message.includes('max_payload');
}

/**
 * Writes a record as JSON of at most `maxBytes`. A longer record loses the upstream's raw usage object and the ends
 * of its texts, then its tags, never its counts. Undefined if the shortened record does not fit either.
 */
function writeUsage(record: object, maxBytes: number): UsageText | undefined {
  const whole = toText(record, maxBytes);
  if (whole) return { ...whole, shortened: false };
  for (const fields of shortened(record)) {
    const written = toText(fields, maxBytes);
    if (written) return { ...written, shortened: true };
  }
  return undefined;
}

function shortenUsage({ text }: UsageText, maxBytes: number): UsageText | undefined {
  return writeUsage(JSON.parse(text), maxBytes);
}

/** Undefined for a text that is too long, and for values that JSON cannot represent, such as a bigint or a cycle. */
function toText(record: object, maxBytes: number): Pick<UsageText, 'text' | 'bytes'> | undefined {
  try {
    const text = JSON.stringify(record);
    const bytes = Buffer.byteLength(text);
    return bytes <= maxBytes ? { text, bytes } : undefined;
  } catch {
    return undefined;
  }
}

/** Lengths, in characters, that texts of a shortened record are cut to; the first that fits is used. */
const cuts = [256, 64];
/** Levels of nesting in a shortened record: the record's fields, those of `usage`, and those of the units. */
const depth = 3;

/** Yields a record without the upstream's raw usage object, with its texts cut, then with them cut further and without its tags. */
export function* shortened(record: object): Generator<object> {
  for (const length of cuts) yield cutFields(record, length, depth);
}

/** Copies the plain fields of an object and cuts its texts. Leaves out `raw`, arrays and deeper levels. */
function cutFields(fields: object, length: number, levels: number): Record<string, unknown> {
  const cut = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    // A tag that is cut would be another one.
    if (name === 'raw' || (name === 'tags' && length !== cuts[0])) return [];
    if (typeof value === 'string') return [[name, cutText(value, length)]];
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return [[name, value]];
    if (typeof value !== 'object' || Array.isArray(value) || levels === 1) return [];
    return [[name, cutFields(value, length, levels - 1)]];
  });
  return Object.fromEntries(cut);
}

function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

/** Names a record in a message. */
export function nameOf(record: UsageRecord | RefusedRecord): string {
  return 'refused' in record ? 'of refused requests' : `${record.id} of ${record.requestId}`;
}
