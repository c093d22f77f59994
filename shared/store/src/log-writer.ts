import type { Clock } from '@model-gateway/clock';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { headers } from 'nats';
import type { OwnerShare } from './owner-share.ts';
import { publish } from './publish.ts';
import { messageOverhead } from './tally.ts';

/** The header of a log's last message. */
export const endHeader = 'Gateway-End';
/** The header with the space that a log uses up to the end of its message, in bytes. */
export const sizeHeader = 'Gateway-Size';
/** The most bytes of one message. */
const pieceBytes = 512 * 1024;
/** The most bytes of one log that wait for NATS; if there are more, the log breaks. */
export const maxLogWaiting = 16 * 1024 * 1024;
/** The bytes of them that need no room, which most logs never exceed. */
export const uncountedWaiting = 64 * 1024;
/** Time for which a message is retried before the log breaks, in milliseconds. */
export const logPatienceMs = 30_000;

export interface WriterOptions {
  /** The log's last piece; absent for a new log. */
  after?: { at: number; size: number } | undefined;
  /** Time for which bytes are buffered to form larger messages, in milliseconds. */
  joinMs?: number;
}

/** The memory of the request whose log it is. */
export interface LogRoom {
  /** @throws Error if there is no room */
  take(bytes: number): void;
  give(bytes: number): void;
}

/** The log that a writer writes. */
interface Destination {
  client: JetStreamClient;
  manager: JetStreamManager;
  clock: Clock;
  share: OwnerShare;
  stream: string;
  subject: string;
  /** The owner whose bytes are counted. */
  owner: string;
  ttlMs: number;
}

/** Writes a log in the background, one message at a time; bytes added meanwhile are joined. */
export class LogWriter {
  readonly #to: Destination;
  readonly #joinMs: number;
  #after: number;
  /** The space that the log uses, in bytes. */
  #stored: number;
  #waiting: (string | Uint8Array)[] = [];
  #size = 0;
  /** Bytes for which room was taken. */
  #held = 0;
  #ended = false;
  /** True once bytes are sent without buffering. */
  #unbuffered = false;
  /** Ends the current wait for more bytes. */
  #joined: () => void = () => {};
  #sending: Promise<void> | undefined;
  /** The error that broke the log; the bytes added after it are missing. Undefined while the log is complete. */
  broken: unknown;
  onBroken: () => void = () => {};
  /** The room of the bytes that wait, from 64 KiB on; if absent, only their number is bounded. */
  room: LogRoom | undefined;

  constructor(to: Destination, { after = { at: 0, size: 0 }, joinMs = 0 }: WriterOptions) {
    this.#to = to;
    this.#after = after.at;
    this.#stored = after.size;
    this.#joinMs = joinMs;
  }

  /** Adds bytes, which the caller must not change afterwards; `end` marks the last ones. */
  add(bytes: string | Uint8Array, end = false): void {
    if (this.broken !== undefined) return;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    this.#ended ||= end;
    if (end) this.#stopBuffering();
    try {
      if (this.#size > maxLogWaiting) throw new Error('too many bytes wait to be written to NATS');
      this.#hold();
    } catch (error) {
      return this.#break(error);
    }
    this.#start();
  }

  /** Takes room for the bytes that wait, or gives it back. */
  #hold(): void {
    const wanted = this.#size > uncountedWaiting ? this.#size : 0;
    if (wanted > this.#held) this.room?.take(wanted - this.#held);
    else if (wanted < this.#held) this.room?.give(this.#held - wanted);
    this.#held = wanted;
  }

  #start(): void {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      // Bytes added while the last message was being sent.
      if (this.#waiting.length > 0) this.#start();
    });
  }

  /** Resolves when all added bytes are stored, or the log broke. */
  async flush(): Promise<void> {
    this.#stopBuffering();
    while (this.#sending) await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0 && this.broken === undefined) {
      await this.#waitForMore();
      const all = Buffer.concat(
        this.#waiting.map(piece => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
      );
      const piece = all.subarray(0, pieceBytes);
      this.#waiting = all.length > piece.length ? [all.subarray(piece.length)] : [];
      this.#size = all.length - piece.length;
      this.#hold();
      const end = this.#ended && this.#waiting.length === 0;
      await this.#publish(piece, end).catch(error => this.#break(error));
    }
  }

  /** Waits for bytes to join the message: for the buffering time, or until the end of the event-loop turn. */
  async #waitForMore(): Promise<void> {
    // The first message is not delayed, so that readers find the log at once.
    if (this.#joinMs === 0 || this.#after === 0 || this.#unbuffered)
      return new Promise(resolve => setImmediate(resolve));
    const joined = Promise.withResolvers<void>();
    this.#joined = joined.resolve;
    const { clock } = this.#to;
    const timer = clock.setTimeout(joined.resolve, this.#joinMs);
    await joined.promise;
    clock.clearTimeout(timer);
  }

  /** Sends all further bytes without buffering. */
  #stopBuffering(): void {
    this.#unbuffered = true;
    this.#joined();
  }

  async #publish(piece: Buffer, end: boolean): Promise<void> {
    const extra = headers();
    if (end) extra.set(endHeader, '1');
    const size = this.#stored + piece.length + messageOverhead;
    extra.set(sizeHeader, String(size));
    const { stream, subject, owner, share, ttlMs } = this.#to;
    const options = { stream, ttlMs, extra, after: this.#after, patience: logPatienceMs };
    this.#after = await publish(this.#to, subject, piece, options);
    this.#stored = size;
    share.add(owner, piece.length + messageOverhead);
  }

  #break(error: unknown): void {
    this.broken = error;
    this.#waiting = [];
    this.#size = 0;
    this.#hold();
    this.onBroken();
  }
}
