import { type Bus, type Faults, type StreamNames, subscribe } from '@model-gateway/bus';
import { type DirectStreamAPI, JetStreamError, type StoredMsg } from '@nats-io/jetstream';
import type { NatsConnection } from 'nats';
import { endHeader, LogWriter, sizeHeader, type WriterOptions } from './log-writer.ts';
import { OwnerShare, ownerOf } from './owner-share.ts';
import { retried } from './publish.ts';
import { StoredStream } from './stored-stream.ts';

/** The most messages in one read. */
const batch = 256;
/** The bytes after which a read ends; its last message may pass them. */
const batchBytes = 256 * 1024;
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
  /** The space that the log uses up to the end of this piece, in bytes. */
  size: number;
}

/** Runs one read, which is at most {@link batchBytes} and a message. */
export type RunLogRead = (read: () => Promise<LogPiece[]>) => Promise<LogPiece[]>;
const atOnce: RunLogRead = read => read();

/** Logs with one writer and any number of readers, which can follow while the log is written. */
export class EventLog {
  readonly #bus: Bus;
  readonly #names: StreamNames;
  readonly #stream: StoredStream;
  readonly #direct: DirectStreamAPI;
  readonly #ttlMs: number;
  readonly #share: OwnerShare;
  readonly #news: LogNews;

  private constructor(bus: Bus, names: StreamNames, stream: StoredStream, share: OwnerShare, ttlMs: number) {
    this.#bus = bus;
    this.#names = names;
    this.#stream = stream;
    this.#direct = stream.manager.direct;
    this.#share = share;
    this.#ttlMs = ttlMs;
    this.#news = new LogNews(stream.connection, bus.faults);
  }

  /** Opens the logs of a stream. Each message is stored for `ttlMs`. */
  static async open(bus: Bus, names: StreamNames, { ttlMs }: { ttlMs: number }): Promise<EventLog> {
    const stream = await StoredStream.open(bus, names.stream);
    const share = await OwnerShare.open(bus, stream, { ...names, ttlMs });
    return new EventLog(bus, names, stream, share, ttlMs);
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
    const to = {
      client: this.#stream.client,
      manager: this.#stream.manager,
      clock: this.#bus.clock,
      share: this.#share,
      stream: this.#names.stream,
      subject: this.#subjectOf(key),
      owner: ownerOf(key),
      ttlMs: this.#ttlMs,
    };
    return new LogWriter(to, options);
  }

  #subjectOf(key: string): string {
    return `${this.#names.subjects}.${key}`;
  }

  /** Yields a log from its start to its end or `signal`, waiting for new pieces. Calls `idle` each second without any. */
  async *follow(
    key: string,
    {
      signal,
      idle,
      run = atOnce,
    }: { signal: AbortSignal; idle?: (last: LogPiece | undefined) => Promise<void>; run?: RunLogRead },
  ): AsyncGenerator<LogPiece> {
    const { clock } = this.#bus;
    const subject = this.#subjectOf(key);
    let news = Promise.withResolvers<boolean>();
    const unfollow = this.#news.follow(subject, () => news.resolve(true));
    const stop = () => news.resolve(false);
    signal.addEventListener('abort', stop);
    let last: LogPiece | undefined;
    try {
      while (!signal.aborted) {
        const pending = news;
        let found = false;
        for (const piece of await run(() => this.#read(subject, (last?.at ?? 0) + 1))) {
          found = true;
          last = piece;
          yield piece;
          if (piece.end || signal.aborted) return;
        }
        if (found) continue;
        const timer = clock.setTimeout(() => pending.resolve(false), pollMs);
        const notified = await pending.promise;
        clock.clearTimeout(timer);
        news = Promise.withResolvers();
        if (signal.aborted) return;
        // A server that is not the leader may not have the new piece yet.
        if (notified) {
          const later = news;
          clock.setTimeout(() => later.resolve(false), lagMs);
        } else await idle?.(last);
      }
    } finally {
      unfollow();
      signal.removeEventListener('abort', stop);
    }
  }

  /** Yields the pieces of a log that are stored. */
  async *read(key: string, run = atOnce): AsyncGenerator<LogPiece> {
    for (let seq = 1; ; ) {
      const from = seq;
      const some = await run(() => this.#read(this.#subjectOf(key), from));
      if (some.length === 0) return;
      yield* some;
      seq = (some.at(-1) as LogPiece).at + 1;
    }
  }

  async first(key: string): Promise<LogPiece | undefined> {
    const query = { seq: 1, next_by_subj: this.#subjectOf(key) };
    const found = await retried(this.#bus.clock, () =>
      this.#stream.manager.streams.getMessage(this.#names.stream, query),
    );
    return found ? pieceOf(found) : undefined;
  }

  async last(key: string): Promise<LogPiece | undefined> {
    const query = { last_by_subj: this.#subjectOf(key) };
    const found = await retried(this.#bus.clock, () =>
      this.#stream.manager.streams.getMessage(this.#names.stream, query),
    );
    return found ? pieceOf(found) : undefined;
  }

  /** Removes a log. */
  async remove(key: string): Promise<void> {
    const [first, last] = [await this.first(key), await this.last(key)];
    if (first && last) this.#share.add(ownerOf(key), -last.size, first.time);
    await retried(this.#bus.clock, () =>
      this.#stream.manager.streams.purge(this.#names.stream, { filter: this.#subjectOf(key) }),
    );
  }

  #read(subject: string, seq: number): Promise<LogPiece[]> {
    return retried(this.#bus.clock, async () => {
      const pieces: LogPiece[] = [];
      try {
        const query = { seq, next_by_subj: subject, batch, max_bytes: batchBytes };
        const found = await this.#direct.getBatch(this.#names.stream, query);
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
  return {
    bytes: Buffer.from(data),
    end: header.has(endHeader),
    at: seq,
    time: time.getTime(),
    size: Number(header.get(sizeHeader)),
  };
}

/** Tells the readers of logs that a new piece was written. All readers of one log share one subscription, whatever their number. */
class LogNews {
  readonly #connection: NatsConnection;
  readonly #faults: Faults;
  readonly #logs = new Map<string, { readers: Set<() => void>; unsubscribe(): void }>();

  constructor(connection: NatsConnection, faults: Faults) {
    this.#connection = connection;
    this.#faults = faults;
  }

  /** Calls `tell` for each new piece until the returned function is called. */
  follow(subject: string, tell: () => void): () => void {
    const log = this.#logs.get(subject) ?? this.#subscribe(subject);
    log.readers.add(tell);
    return () => {
      log.readers.delete(tell);
      if (log.readers.size > 0 || this.#logs.get(subject) !== log) return;
      this.#logs.delete(subject);
      log.unsubscribe();
    };
  }

  #subscribe(subject: string) {
    const readers = new Set<() => void>();
    const subscription = subscribe(this.#connection, subject, this.#faults, () => {
      for (const tell of readers) tell();
    });
    const log = { readers, unsubscribe: () => subscription.unsubscribe() };
    this.#logs.set(subject, log);
    return log;
  }
}
