import { randomUUID } from 'node:crypto';
import type { Bus, StreamNames } from '@model-gateway/bus';
import type { Clock } from '@model-gateway/clock';
import type { StoredMsg } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from 'nats';
import { OwnerShare, ownerOf } from './owner-share.ts';
import { publish, retried } from './publish.ts';
import { StoredStream } from './stored-stream.ts';
import { messageOverhead } from './tally.ts';

/** Number of pieces that are written, or read, at once. */
const concurrency = { writes: 8, reads: 4 };
/** Number of heads that are read at once. */
const headsAtOnce = 8;
const piecesHeader = 'Gateway-Pieces';
const sectionsHeader = 'Gateway-Sections';
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
  readonly #stream: StoredStream;
  readonly #ttlMs: number;
  readonly #names: StreamNames;
  readonly #share: OwnerShare;
  /** Known values: when one is replaced, its pieces are removed and its bytes subtracted. */
  readonly #seen = new Map<string, Seen>();

  private constructor(bus: Bus, names: StreamNames, stream: StoredStream, share: OwnerShare, ttlMs: number) {
    this.#clock = bus.clock;
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
   * Stores a value and resolves with its revision. `after` is the revision that it must replace, 0 for a new key.
   * @throws RevisionConflictError if the key has another revision; StoreFullError
   */
  async put(
    key: string,
    value: Uint8Array,
    after?: number,
    { owner = ownerOf(key), sections = [] }: PutOptions = {},
  ): Promise<number> {
    if (value.length <= pieceBytes) {
      const revision = await this.#publish(key, value, undefined, after);
      this.#replaced(key, value.length, owner);
      return revision;
    }
    const part = randomUUID();
    try {
      const extra = headers();
      const count = await this.#putPieces(`${key}.${part}`, value);
      extra.set(piecesHeader, `${part} ${count} ${value.length}`);
      if (sections.length > 0) extra.set(sectionsHeader, sections.join(' '));
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
    for (let i = 0; i < count; i += concurrency.writes) {
      const some = Array.from({ length: Math.min(concurrency.writes, count - i) }, (_, k) => i + k);
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

  /** Reads the head of a key's value; undefined if there is none. */
  async head(key: string, { signal }: ReadOptions = {}): Promise<StoredHead | undefined> {
    const found = await this.#last(key, signal);
    return found ? this.#headOf(key, found) : undefined;
  }

  /** Reads the value of a key; undefined if there is none. */
  async get(key: string, options: ReadOptions = {}): Promise<StoredValue | undefined> {
    for (let reads = 0; reads < maxReads; reads++) {
      const head = await this.head(key, options);
      if (!head) return undefined;
      const value = await this.value(key, head, options);
      if (value) return { value, revision: head.revision, at: head.at };
      // The value was replaced while its pieces were read.
    }
    return undefined;
  }

  /** Reads the value of a head; undefined if it was replaced meanwhile. */
  value(key: string, head: StoredHead, options: ReadOptions = {}): Promise<Buffer | undefined> {
    return this.slice(key, head, { from: 0, to: head.bytes }, options);
  }

  /** Reads the bytes of a value from `from` up to `to`, by its head; undefined if it was replaced meanwhile. */
  async slice(
    key: string,
    { value, part }: StoredHead,
    { from, to }: { from: number; to: number },
    options: ReadOptions = {},
  ): Promise<Buffer | undefined> {
    if (value) {
      options.reserve?.(to - from);
      return value.subarray(from, to);
    }
    const first = Math.floor(from / pieceBytes);
    const end = Math.ceil(to / pieceBytes);
    options.reserve?.((end - first) * pieceBytes);
    const pieces: Uint8Array[] = [];
    for (let i = first; i < end; i += concurrency.reads) {
      const some = Array.from({ length: Math.min(concurrency.reads, end - i) }, (_, k) => i + k);
      const found = await Promise.all(some.map(n => this.#last(`${key}.${part}.${n}`, options.signal)));
      for (const [k, piece] of found.entries()) {
        if (!piece) return undefined;
        const at = (i + k) * pieceBytes;
        pieces.push(piece.data.subarray(Math.max(0, from - at), to - at));
      }
    }
    return Buffer.concat(pieces);
  }

  #headOf(key: string, { data, header, seq: revision, time }: StoredMsg): StoredHead {
    const [part = '', count, size] = header.get(piecesHeader).split(' ');
    const value = count ? undefined : Buffer.from(data);
    const bytes = value?.length ?? Number(size);
    const sections = header.get(sectionsHeader).split(' ').filter(Boolean).map(Number);
    const at = time.getTime();
    this.#see(key, { part: count ? part : undefined, bytes: storedSize(bytes), at });
    return { revision, at, bytes, sections, value, part };
  }

  /**
   * Reads the values of several keys from any replica, {@link headsAtOnce} at a time. A value written a moment ago may be
   * missing or out of date.
   */
  async getEarlier(keys: readonly string[], options: ReadOptions = {}): Promise<(StoredValue | undefined)[]> {
    const values: (StoredValue | undefined)[] = [];
    for (let i = 0; i < keys.length; i += headsAtOnce) {
      const some = keys.slice(i, i + headsAtOnce);
      const heads = await this.#headsOf(some);
      for (const key of some) {
        const head = heads.get(key);
        const value = head && (await this.value(key, head, options));
        values.push(value ? { ...head, value } : await this.get(key, options));
      }
    }
    return values;
  }

  async #headsOf(keys: readonly string[]): Promise<Map<string, StoredHead>> {
    const { stream, subjects } = this.#names;
    const heads = new Map<string, StoredHead>();
    try {
      const multi_last = keys.map(key => `${subjects}.${key}`);
      const found = await this.#stream.manager.direct.getLastMessagesFor(stream, { multi_last });
      for await (const message of found) {
        const key = message.subject.slice(subjects.length + 1);
        heads.set(key, this.#headOf(key, message));
      }
    } catch {
      // Missing values are read from the leader.
    }
    return heads;
  }

  /**
   * Removes a key and all keys below it. Returns false if the key itself had no value. `below`: the bytes of the values below it
   * that are to be subtracted from the owner's count, and the time of the first of them; those that are not named expire.
   */
  async remove(key: string, below?: { bytes: number; at: number }): Promise<boolean> {
    const { stream, subjects } = this.#names;
    const head = await this.head(key);
    const owner = ownerOf(key);
    if (head) this.#share.add(owner, -storedSize(head.bytes), head.at);
    if (below) this.#share.add(owner, -below.bytes, below.at);
    const purge = (filter: string) =>
      retried(this.#clock, () => this.#stream.manager.streams.purge(stream, { filter }));
    const { purged } = await purge(`${subjects}.${key}`);
    await purge(`${subjects}.${key}.>`);
    this.#seen.delete(key);
    return purged > 0;
  }

  #last(key: string, signal?: AbortSignal): Promise<StoredMsg | null> {
    const { stream, subjects } = this.#names;
    const query = { last_by_subj: `${subjects}.${key}` };
    const read = () => this.#stream.manager.streams.getMessage(stream, query);
    return retried(this.#clock, read, undefined, signal);
  }

  #publish(key: string, value: Uint8Array, extra?: MsgHdrs, after?: number): Promise<number> {
    const { stream, subjects } = this.#names;
    const { client, manager } = this.#stream;
    const to = { client, manager, clock: this.#clock };
    const options = { stream, ttlMs: this.#ttlMs, after, ...(extra && { extra }) };
    return publish(to, `${subjects}.${key}`, value, options);
  }
}

/** The facts about a stored value that one read of at most {@link pieceBytes} tells. */
export interface StoredHead {
  /** Increases with each write of the key. */
  revision: number;
  /** Time of the write, in milliseconds since 1970. */
  at: number;
  /** The value's size. */
  bytes: number;
  /** The sizes of the value's sections, as {@link PutOptions} stated them; empty for a value that came with its head. */
  sections: readonly number[];
  /** The value; undefined if it is stored in pieces. */
  value: Buffer | undefined;
  /** The id of the pieces. */
  part: string;
}

interface StoredValue extends Pick<StoredHead, 'revision' | 'at'> {
  value: Buffer;
}

/** The bounds of a read. */
export interface ReadOptions {
  /** Called with the size of what is about to be read beyond a head. A thrown error ends the read. */
  reserve?(bytes: number): void;
  signal?: AbortSignal | undefined;
}

interface PutOptions {
  /** The owner for whom the value is counted: that in the key if absent. */
  owner?: string;
  /** The sizes of the value's sections, which a reader of a large value gets with its head. */
  sections?: readonly number[];
}

/** Size of the pieces in which a larger value is stored, in bytes. */
export const pieceBytes = 512 * 1024;
/** The space that a value of `length` bytes uses in its stream, in bytes. */
export function storedSize(length: number): number {
  const pieces = length <= pieceBytes ? 0 : Math.ceil(length / pieceBytes);
  return length + (1 + pieces) * messageOverhead;
}
