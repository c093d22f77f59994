import { randomUUID } from 'node:crypto';
import { type Bus, jetStream, type StreamNames } from '@model-gateway/bus';
import type { Clock } from '@model-gateway/clock';
import type { JetStreamClient, StoredMsg } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from 'nats';
import { OwnerShare, ownerOf } from './owner-share.ts';
import { publish, retried } from './publish.ts';
import { StoredStream } from './stored-stream.ts';
import { messageOverhead } from './tally.ts';

interface StoredValue {
  value: Buffer;
  /** Increases with each write of the key. */
  revision: number;
  /** Time of the write, in milliseconds since 1970. */
  at: number;
}

/** Size of the pieces in which a larger value is stored, in bytes. */
const pieceBytes = 512 * 1024;
/** Number of pieces that are read or written at once. */
const concurrency = 8;
const piecesHeader = 'Gateway-Pieces';
/** The most values that this process remembers. */
const maxSeen = 10_000;
/** The last value that this process read or wrote under a key. */
interface Seen {
  /** The id of the value's pieces; absent if the value is one message. */
  part?: string | undefined;
  /** Its size in bytes, and the time of the write in milliseconds since 1970. */
  bytes: number;
  at: number;
}

/** Attempts to read a value that other writers replace meanwhile. */
const maxReads = 4;

/**
 * Durable values in NATS, each under a key of subject tokens separated by dots. A written value can be read in
 * every process at once, since reads go to the stream's leader.
 */
export class RevisionedStore {
  readonly #clock: Clock;
  readonly #client: JetStreamClient;
  readonly #stream: StoredStream;
  readonly #ttlMs: number;
  readonly #names: StreamNames;
  readonly #share: OwnerShare;
  /** Known values: when one is replaced, its pieces are removed and its bytes subtracted. */
  readonly #seen = new Map<string, Seen>();

  private constructor(bus: Bus, names: StreamNames, stream: StoredStream, share: OwnerShare, ttlMs: number) {
    this.#clock = bus.clock;
    this.#client = jetStream(bus);
    this.#stream = stream;
    this.#share = share;
    this.#ttlMs = ttlMs;
    this.#names = names;
  }

  /**
   * Opens the store of a stream. Each value is stored for `ttlMs` after its last write. Nothing can be stored until
   * control has created the stream.
   */
  static async open(bus: Bus, names: StreamNames, { ttlMs }: { ttlMs: number }): Promise<RevisionedStore> {
    const stream = await StoredStream.open(bus, names.stream);
    const share = await OwnerShare.open(bus, stream, { ...names, ttlMs });
    return new RevisionedStore(bus, names, stream, share, ttlMs);
  }

  /** The reason that nothing new can be stored, `StoreFullError` if the stream is full; undefined if there is none. */
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

  /**
   * Stores a value, counted for `owner`, and resolves with its revision. `after` is the revision that it must replace,
   * 0 for a new key. @throws RevisionConflictError if the key has another revision; StoreFullError
   */
  async put(key: string, value: Uint8Array, after?: number, owner = ownerOf(key)): Promise<number> {
    if (value.length <= pieceBytes) {
      const revision = await this.#publish(key, value, undefined, after);
      this.#replaced(key, value.length, owner);
      return revision;
    }
    const part = randomUUID();
    try {
      const extra = headers();
      extra.set(piecesHeader, `${part} ${await this.#putPieces(`${key}.${part}`, value)}`);
      const revision = await this.#publish(key, new Uint8Array(), extra, after);
      this.#replaced(key, value.length, owner, part);
      return revision;
    } catch (error) {
      this.#drop(`${key}.${part}`);
      throw error;
    }
  }

  /** Resolves with the number of pieces. */
  async #putPieces(key: string, value: Uint8Array): Promise<number> {
    const count = Math.ceil(value.length / pieceBytes);
    for (let i = 0; i < count; i += concurrency) {
      const some = Array.from({ length: Math.min(concurrency, count - i) }, (_, k) => i + k);
      await Promise.all(
        some.map(n =>
          // A copy: NATS holds a reference to its data, and the value may be freed before it is sent.
          this.#publish(`${key}.${n}`, value.slice(n * pieceBytes, (n + 1) * pieceBytes)),
        ),
      );
    }
    return count;
  }

  /** Removes the pieces and the count of a replaced value, and counts the new one. */
  #replaced(key: string, length: number, owner: string, part?: string): void {
    const before = this.#seen.get(key);
    if (before?.part) this.#drop(`${key}.${before.part}`);
    if (before) this.#share.add(owner, -before.bytes, before.at);
    const now = { part, bytes: storedSize(length), at: this.#clock.now() };
    this.#share.add(owner, now.bytes, now.at);
    this.#see(key, now);
  }

  #see(key: string, seen: Seen): void {
    this.#seen.delete(key);
    this.#seen.set(key, seen);
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= maxSeen) break;
      this.#seen.delete(oldest);
    }
  }

  /** Removes pieces; if that fails, they expire. */
  #drop(pieces: string): void {
    const { stream, subjects } = this.#names;
    this.#stream.manager.streams.purge(stream, { filter: `${subjects}.${pieces}.>` }).catch(() => {});
  }

  /** Reads the value of a key; undefined if there is none. */
  async get(key: string): Promise<StoredValue | undefined> {
    for (let reads = 0; reads < maxReads; reads++) {
      const found = await this.#last(key);
      if (!found) return undefined;
      const whole = await this.#whole(key, found);
      if (whole) return whole;
      // The value was replaced while its pieces were read.
    }
    return undefined;
  }

  async #whole(key: string, found: StoredMsg): Promise<StoredValue | undefined> {
    const [part, count] = found.header.get(piecesHeader).split(' ');
    const value = count ? await this.#pieces(`${key}.${part}`, Number(count)) : Buffer.from(found.data);
    if (!value) return undefined;
    const at = found.time.getTime();
    this.#see(key, { part: count ? part : undefined, bytes: storedSize(value.length), at });
    return { value, revision: found.seq, at };
  }

  /**
   * Reads the values of several keys from any replica. A value written a moment ago may be missing or out of date.
   */
  async getEarlier(keys: readonly string[]): Promise<(StoredValue | undefined)[]> {
    const { stream, subjects } = this.#names;
    const found = new Map<string, StoredMsg>();
    try {
      const multi_last = keys.map(key => `${subjects}.${key}`);
      for await (const message of await this.#stream.manager.direct.getLastMessagesFor(stream, {
        multi_last,
      }))
        found.set(message.subject.slice(subjects.length + 1), message);
    } catch {
      // Missing values are read from the leader.
    }
    return Promise.all(
      keys.map(async key => {
        const message = found.get(key);
        return (message && (await this.#whole(key, message))) ?? this.get(key);
      }),
    );
  }

  /** Removes a key and all keys below it. Returns false if the key itself had no value. */
  async remove(key: string): Promise<boolean> {
    const { stream, subjects } = this.#names;
    await this.#uncount(key);
    const purge = (filter: string) =>
      retried(this.#clock, () => this.#stream.manager.streams.purge(stream, { filter }));
    const { purged } = await purge(`${subjects}.${key}`);
    await purge(`${subjects}.${key}.>`);
    this.#seen.delete(key);
    return purged > 0;
  }

  /** Subtracts the values of a key and of the keys below it from the count. */
  async #uncount(key: string): Promise<void> {
    const { stream, subjects } = this.#names;
    const multi_last = [`${subjects}.${key}`, `${subjects}.${key}.>`];
    try {
      const found = await this.#stream.manager.direct.getLastMessagesFor(stream, { multi_last });
      for await (const { data, time } of found)
        this.#share.add(ownerOf(key), -data.length - messageOverhead, time.getTime());
    } catch {
      // If there are too many to list, the count expires.
    }
  }

  async #pieces(key: string, count: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    for (let i = 0; i < count; i += concurrency) {
      const some = Array.from({ length: Math.min(concurrency, count - i) }, (_, k) => i + k);
      const found = await Promise.all(some.map(n => this.#last(`${key}.${n}`)));
      for (const piece of found) {
        if (!piece) return undefined;
        pieces.push(Buffer.from(piece.data));
      }
    }
    return Buffer.concat(pieces);
  }

  #last(key: string): Promise<StoredMsg | null> {
    const { stream, subjects } = this.#names;
    const query = { last_by_subj: `${subjects}.${key}` };
    return retried(this.#clock, () => this.#stream.manager.streams.getMessage(stream, query));
  }

  #publish(key: string, value: Uint8Array, extra?: MsgHdrs, after?: number): Promise<number> {
    const { stream, subjects } = this.#names;
    const to = { client: this.#client, manager: this.#stream.manager, clock: this.#clock };
    const options = { stream, ttlMs: this.#ttlMs, after, ...(extra && { extra }) };
    return publish(to, `${subjects}.${key}`, value, options);
  }
}

/** The space that a value uses in its stream, in bytes. */
function storedSize(length: number): number {
  const pieces = length <= pieceBytes ? 0 : Math.ceil(length / pieceBytes);
  return length + (1 + pieces) * messageOverhead;
}
