import {
  type DirectStreamAPI,
  type JetStreamClient,
  JetStreamError,
  type JetStreamManager,
  type StoredMsg,
} from '@nats-io/jetstream';
import { headers } from 'nats';
import type { Bus } from '../connection.ts';
import { jetStream } from '../jet-stream.ts';
import { OwnerShare, ownerOf } from './owner-share.ts';
import { publish, retried } from './publish.ts';
import { StoredStream } from './stored-stream.ts';
import { stored } from './streams.ts';
import { messageOverhead } from './tally.ts';

const { stream, subjects } = stored.events;
const endHeader = 'Gateway-End';
/** The most bytes of one message. */
const pieceBytes = 512 * 1024;
/** The most bytes of one log that wait for NATS; if there are more, the log breaks. */
export const maxLogWaiting = 16 * 1024 * 1024;
/** Time for which a message is retried before the log breaks, in milliseconds. */
export const logPatienceMs = 30_000;
/** The most messages in one read. */
const batch = 256;
/** Time after which a reader without a notification reads again, in milliseconds. */
const pollMs = 1_000;
const lagMs = 50;

export interface LogPiece {
  bytes: Buffer;
  /** True if the log ends with this piece. */
  end: boolean;
  /** The sequence number of the piece in the stream. */
  at: number;
  /** The time at which the piece was written, in milliseconds since 1970. */
  time: number;
}

export interface WriterOptions {
  /** The sequence number of the log's last piece; 0 for a new log. */
  after?: number;
  /** Time for which bytes are buffered to form larger messages, in milliseconds. */
  joinMs?: number;
}

/** Logs with one writer and any number of readers, which can follow while the log is written. */
export class EventLog {
  readonly #bus: Bus;
  readonly #client: JetStreamClient;
  readonly #stream: StoredStream;
  readonly #direct: DirectStreamAPI;
  readonly #ttlMs: number;
  readonly #share: OwnerShare;

  private constructor(bus: Bus, stream: StoredStream, share: OwnerShare, ttlMs: number) {
    this.#bus = bus;
    this.#client = jetStream(bus);
    this.#stream = stream;
    this.#direct = stream.manager.direct;
    this.#share = share;
    this.#ttlMs = ttlMs;
  }

  /** Opens the logs. Each message is stored for `ttlMs`. */
  static async open(bus: Bus, { ttlMs }: { ttlMs: number }): Promise<EventLog> {
    const storedStream = await StoredStream.open(bus, stream);
    const share = await OwnerShare.open(bus, storedStream, { stream, subjects, ttlMs });
    return new EventLog(bus, storedStream, share, ttlMs);
  }

  /** The reason that no new log can be written, `StoreFullError` if the stream is full; undefined if there is none. */
  get problem(): Error | undefined {
    return this.#stream.problem;
  }

  /** True if an owner has used up its share of the space. */
  isUsedUpBy(owner: string): Promise<boolean> {
    return this.#share.isUsedUpBy(owner);
  }

  close(): void {
    this.#share.close();
    this.#stream.close();
  }

  /** Returns a writer of a log, counted for the owner in the key. If two writers write, the later one fails. */
  writer(key: string, options: WriterOptions = {}): LogWriter {
    const to = { client: this.#client, manager: this.#stream.manager, share: this.#share };
    return new LogWriter(to, `${subjects}.${key}`, this.#ttlMs, options);
  }

  /** Yields a log from its start to its end or `signal`, waiting for new pieces. Calls `idle` each second without any. */
  async *follow(
    key: string,
    { signal, idle }: { signal: AbortSignal; idle?: (last: LogPiece | undefined) => Promise<void> },
  ): AsyncGenerator<LogPiece> {
    const subject = `${subjects}.${key}`;
    let news = Promise.withResolvers<boolean>();
    const subscription = this.#bus.state.subscribe(subject, { callback: () => news.resolve(true) });
    const stop = () => news.resolve(false);
    signal.addEventListener('abort', stop);
    let last: LogPiece | undefined;
    try {
      while (!signal.aborted) {
        const pending = news;
        let found = false;
        for (const piece of await this.#read(subject, (last?.at ?? 0) + 1)) {
          found = true;
          last = piece;
          yield piece;
          if (piece.end || signal.aborted) return;
        }
        if (found) continue;
        const timer = setTimeout(() => pending.resolve(false), pollMs);
        const notified = await pending.promise;
        clearTimeout(timer);
        news = Promise.withResolvers();
        if (signal.aborted) return;
        // A server that is not the leader may not have the new piece yet.
        if (notified) {
          const later = news;
          setTimeout(() => later.resolve(false), lagMs);
        } else await idle?.(last);
      }
    } finally {
      subscription.unsubscribe();
      signal.removeEventListener('abort', stop);
    }
  }

  async read(key: string): Promise<LogPiece[]> {
    const all: LogPiece[] = [];
    for (;;) {
      const some = await this.#read(`${subjects}.${key}`, (all.at(-1)?.at ?? 0) + 1);
      if (some.length === 0) return all;
      all.push(...some);
    }
  }

  async first(key: string): Promise<LogPiece | undefined> {
    const query = { seq: 1, next_by_subj: `${subjects}.${key}` };
    const found = await retried(() => this.#stream.manager.streams.getMessage(stream, query));
    return found ? pieceOf(found) : undefined;
  }

  async last(key: string): Promise<LogPiece | undefined> {
    const query = { last_by_subj: `${subjects}.${key}` };
    const found = await retried(() => this.#stream.manager.streams.getMessage(stream, query));
    return found ? pieceOf(found) : undefined;
  }

  async remove(key: string): Promise<void> {
    await this.#uncount(key);
    await retried(() => this.#stream.manager.streams.purge(stream, { filter: `${subjects}.${key}` }));
  }

  /** Subtracts the pieces of a log from its owner's count, in batches. If they cannot be read, the count expires. */
  async #uncount(key: string): Promise<void> {
    try {
      for (let seq = 1; ; ) {
        const pieces = await this.#read(`${subjects}.${key}`, seq);
        for (const { bytes, time } of pieces)
          this.#share.add(ownerOf(key), -bytes.length - messageOverhead, time);
        if (pieces.length === 0) return;
        seq = (pieces.at(-1)?.at ?? 0) + 1;
      }
    } catch {
      return;
    }
  }

  #read(subject: string, seq: number): Promise<LogPiece[]> {
    return retried(async () => {
      const pieces: LogPiece[] = [];
      try {
        const found = await this.#direct.getBatch(stream, { seq, next_by_subj: subject, batch });
        for await (const message of found) pieces.push(pieceOf(message));
      } catch (error) {
        if (!isNothing(error)) throw error;
      }
      return pieces;
    });
  }
}

function isNothing(error: unknown): boolean {
  return error instanceof JetStreamError && 'code' in error && error.code === 404;
}

function pieceOf({ data, header, seq, time }: StoredMsg): LogPiece {
  return { bytes: Buffer.from(data), end: header.has(endHeader), at: seq, time: time.getTime() };
}

/** Writes a log in the background, one message at a time; bytes added meanwhile are joined. */
export class LogWriter {
  readonly #to: { client: JetStreamClient; manager: JetStreamManager; share: OwnerShare };
  readonly #owner: string;
  readonly #subject: string;
  readonly #ttlMs: number;
  readonly #joinMs: number;
  #after: number;
  #waiting: (string | Uint8Array)[] = [];
  #size = 0;
  #ended = false;
  /** True once bytes are sent without buffering. */
  #unbuffered = false;
  /** Ends the current wait for more bytes. */
  #joined: () => void = () => {};
  #sending: Promise<void> | undefined;
  /** The error that broke the log; the bytes added after it are missing. Undefined while the log is complete. */
  broken: unknown;
  onBroken: () => void = () => {};

  constructor(
    to: { client: JetStreamClient; manager: JetStreamManager; share: OwnerShare },
    subject: string,
    ttlMs: number,
    { after = 0, joinMs = 0 }: WriterOptions,
  ) {
    this.#to = to;
    this.#subject = subject;
    this.#owner = ownerOf(subject.slice(subjects.length + 1));
    this.#ttlMs = ttlMs;
    this.#after = after;
    this.#joinMs = joinMs;
  }

  /** Adds bytes, which the caller must not change afterwards; `end` marks the last ones. */
  add(bytes: string | Uint8Array, end = false): void {
    if (this.broken !== undefined) return;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    this.#ended ||= end;
    if (end) this.#stopBuffering();
    if (this.#size > maxLogWaiting)
      return this.#break(new Error('too many bytes wait to be written to NATS'));
    this.#start();
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
    const timer = setTimeout(joined.resolve, this.#joinMs);
    await joined.promise;
    clearTimeout(timer);
  }
  /** Sends all further bytes without buffering. */
  #stopBuffering(): void {
    this.#unbuffered = true;
    this.#joined();
  }

  async #publish(piece: Buffer, end: boolean): Promise<void> {
    const extra = headers();
    if (end) extra.set(endHeader, '1');
    const options = { stream, ttlMs: this.#ttlMs, extra, after: this.#after, patience: logPatienceMs };
    this.#after = await publish(this.#to, this.#subject, piece, options);
    this.#to.share.add(this.#owner, piece.length + messageOverhead);
  }

  #break(error: unknown): void {
    this.broken = error;
    this.#waiting = [];
    this.onBroken();
  }
}
