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
/** The most bytes of one log that wait for NATS; beyond that the log breaks. */
export const maxLogWaiting = 16 * 1024 * 1024;
/** For how long a message is tried before the log breaks, in milliseconds. */
export const logPatienceMs = 30_000;
/** Messages that one read asks for. */
const batch = 256;
/** How long a reader waits for a sign of news before it looks for itself. */
const lookMs = 1_000;
const lagMs = 50;

/** What was read of a log. */
export interface LogPiece {
  bytes: Buffer;
  /** Nothing follows. */
  end: boolean;
  /** Its place, for who reads on. */
  at: number;
  /** When it was written, in milliseconds since 1970. */
  time: number;
}

export interface WriterOptions {
  /** The place of the last piece that is there; 0 for a new log. */
  after?: number;
  /** For how many milliseconds what is written waits for more, where nobody follows it closely. */
  joinMs?: number;
}

/** Bytes that are written at one place, and read at any number of others while they come. */
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

  /** Each message is kept for `ttlMs`. */
  static async open(bus: Bus, { ttlMs }: { ttlMs: number }): Promise<EventLog> {
    const kept = await StoredStream.open(bus, stream);
    const share = await OwnerShare.open(bus, kept, { stream, subjects, ttlMs });
    return new EventLog(bus, kept, share, ttlMs);
  }

  /** Why no new log is to be written now; `StoreFullError` where there is no room. */
  get problem(): Error | undefined {
    return this.#stream.problem;
  }

  /** An owner has its share of the room, and is to write no new log. */
  isUsedUpBy(owner: string): Promise<boolean> {
    return this.#share.isUsedUpBy(owner);
  }

  close(): void {
    this.#share.close();
    this.#stream.close();
  }

  /** Writes a log, which counts for the owner that its key begins with. Of two writers, the later one to write fails. */
  writer(key: string, options: WriterOptions = {}): LogWriter {
    const to = { client: this.#client, manager: this.#stream.manager, share: this.#share };
    return new LogWriter(to, `${subjects}.${key}`, this.#ttlMs, options);
  }

  /** All of a log, and what is added to it until its end or `signal`; `idle` is asked each second without news. */
  async *follow(
    key: string,
    { signal, idle }: { signal: AbortSignal; idle?: (last: LogPiece | undefined) => Promise<void> },
  ): AsyncGenerator<LogPiece> {
    const subject = `${subjects}.${key}`;
    let news = Promise.withResolvers<boolean>();
    const told = this.#bus.state.subscribe(subject, { callback: () => news.resolve(true) });
    const stop = () => news.resolve(false);
    signal.addEventListener('abort', stop);
    let last: LogPiece | undefined;
    try {
      while (!signal.aborted) {
        const asked = news;
        let found = false;
        for (const piece of await this.#read(subject, (last?.at ?? 0) + 1)) {
          found = true;
          last = piece;
          yield piece;
          if (piece.end || signal.aborted) return;
        }
        if (found) continue;
        const timer = setTimeout(() => asked.resolve(false), lookMs);
        const heard = await asked.promise;
        clearTimeout(timer);
        news = Promise.withResolvers();
        if (signal.aborted) return;
        // A server that is not the leader may not have it yet.
        if (heard) {
          const later = news;
          setTimeout(() => later.resolve(false), lagMs);
        } else await idle?.(last);
      }
    } finally {
      told.unsubscribe();
      signal.removeEventListener('abort', stop);
    }
  }

  /** What there is of a log now. */
  async read(key: string): Promise<LogPiece[]> {
    const all: LogPiece[] = [];
    for (;;) {
      const some = await this.#read(`${subjects}.${key}`, (all.at(-1)?.at ?? 0) + 1);
      if (some.length === 0) return all;
      all.push(...some);
    }
  }

  /** The beginning of a log. */
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

  /** Takes the pieces of a log off its owner's count, a batch at a time. Where they cannot be read, time takes them off. */
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

/** The server found no message. */
function isNothing(error: unknown): boolean {
  return error instanceof JetStreamError && 'code' in error && error.code === 404;
}

function pieceOf({ data, header, seq, time }: StoredMsg): LogPiece {
  return { bytes: Buffer.from(data), end: header.has(endHeader), at: seq, time: time.getTime() };
}

/** Adds to a log in the background, one message at a time: what comes meanwhile is joined. */
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
  /** Nothing waits for more any longer. */
  #hurried = false;
  /** Ends the wait for more. */
  #joined: () => void = () => {};
  #sending: Promise<void> | undefined;
  /** Why the log holds not all that was added: it ends where it broke. */
  broken: unknown;
  /** Is told once of a log that broke. */
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

  /** Takes bytes, which must not change any more; `end` says that they are the last. */
  add(bytes: string | Uint8Array, end = false): void {
    if (this.broken !== undefined) return;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    this.#ended ||= end;
    if (end) this.#hurry();
    if (this.#size > maxLogWaiting) return this.#break(new Error('too much waits for NATS'));
    this.#start();
  }

  #start(): void {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      // What came just when the last message was on its way.
      if (this.#waiting.length > 0) this.#start();
    });
  }

  /** Resolves when all that was added is kept, or the log broke. */
  async flush(): Promise<void> {
    this.#hurry();
    while (this.#sending) await this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0 && this.broken === undefined) {
      await this.#more();
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

  /** What comes in the time to join, or in one turn of the event loop, is one message. */
  async #more(): Promise<void> {
    // Whoever comes for a log finds its beginning at once.
    if (this.#joinMs === 0 || this.#after === 0 || this.#hurried)
      return new Promise(resolve => setImmediate(resolve));
    const joined = Promise.withResolvers<void>();
    this.#joined = joined.resolve;
    const timer = setTimeout(joined.resolve, this.#joinMs);
    await joined.promise;
    clearTimeout(timer);
  }
  /** From now on nothing waits for more. */
  #hurry(): void {
    this.#hurried = true;
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
