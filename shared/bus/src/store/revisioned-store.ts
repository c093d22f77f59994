import { randomUUID } from 'node:crypto';
import type { JetStreamClient, StoredMsg } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from 'nats';
import type { Bus } from '../connection.ts';
import { jetStream } from '../jet-stream.ts';
import { OwnerShare, ownerOf } from './owner-share.ts';
import { publish, retried } from './publish.ts';
import { StoredStream } from './stored-stream.ts';
import { stored } from './streams.ts';
import { messageOverhead } from './tally.ts';

export interface RevisionedStoreOptions {
  /** What is kept: each kind has a stream of its own, and room of its own. `responses` where absent. */
  what?: 'responses' | 'secrets';
  /** For how long a value is kept from its last writing, in milliseconds. */
  ttlMs: number;
}

/** A value that is kept. */
export interface StoredValue {
  value: Buffer;
  /** Rises with each writing of the key. */
  revision: number;
  /** When it was written, in milliseconds since 1970. */
  at: number;
}

/** A larger value is kept in pieces of this size. */
const pieceBytes = 512 * 1024;
/** Pieces that are under way at once. */
const together = 8;
const piecesHeader = 'Gateway-Pieces';
/** Values that this process remembers to have seen. */
const maxSeen = 10_000;
/** A value that was seen under a key. */
interface Seen {
  /** The pieces that the value is in; absent for one that is whole. */
  part?: string | undefined;
  /** Its size in bytes, and the time at which it was written. */
  bytes: number;
  at: number;
}

/** How often a value is read that others write meanwhile. */
const maxReads = 4;

/**
 * Values that outlive every process but NATS, each under a key: tokens of a subject with dots between them. What is put
 * can be read everywhere at once, since reads ask the stream's leader.
 */
export class RevisionedStore {
  readonly #client: JetStreamClient;
  readonly #stream: StoredStream;
  readonly #ttlMs: number;
  readonly #place: { stream: string; subjects: string };
  readonly #share: OwnerShare;
  /** Values that were seen: who writes one anew removes its pieces, and counts it no more. */
  readonly #seen = new Map<string, Seen>();

  private constructor(
    bus: Bus,
    stream: StoredStream,
    share: OwnerShare,
    { ttlMs, what = 'responses' }: RevisionedStoreOptions,
  ) {
    this.#client = jetStream(bus);
    this.#stream = stream;
    this.#share = share;
    this.#ttlMs = ttlMs;
    this.#place = stored[what];
  }

  /** Can keep nothing until control has made the stream. */
  static async open(bus: Bus, options: RevisionedStoreOptions): Promise<RevisionedStore> {
    const place = stored[options.what ?? 'responses'];
    const kept = await StoredStream.open(bus, place.stream);
    const share = await OwnerShare.open(bus, kept, { ...place, ttlMs: options.ttlMs });
    return new RevisionedStore(bus, kept, share, options);
  }

  /** Why nothing new is to be kept now; `StoreFullError` where there is no room. */
  get problem(): Error | undefined {
    return this.#stream.problem;
  }

  /** An owner has its share of the room, and is to keep nothing new. */
  isUsedUpBy(owner: string): Promise<boolean> {
    return this.#share.isUsedUpBy(owner);
  }

  close(): void {
    this.#share.close();
    this.#stream.close();
  }

  /**
   * Keeps a value, in place of the one before, and resolves with its revision once it lasts. `after` is the revision that
   * it follows, 0 for none. It counts for `owner`. @throws RevisionConflictError if the key has another; StoreFullError
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

  /** Resolves with their count. */
  async #putPieces(key: string, value: Uint8Array): Promise<number> {
    const count = Math.ceil(value.length / pieceBytes);
    for (let i = 0; i < count; i += together) {
      const some = Array.from({ length: Math.min(together, count - i) }, (_, k) => i + k);
      await Promise.all(
        some.map(n =>
          // A copy: NATS keeps what it is given, and the value may be freed before it is sent.
          this.#publish(`${key}.${n}`, value.slice(n * pieceBytes, (n + 1) * pieceBytes)),
        ),
      );
    }
    return count;
  }

  /** A key has another value now: the pieces of the one before are nobody's. */
  #replaced(key: string, length: number, owner: string, part?: string): void {
    const before = this.#seen.get(key);
    if (before?.part) this.#drop(`${key}.${before.part}`);
    if (before) this.#share.add(owner, -before.bytes, before.at);
    const now = { part, bytes: taken(length), at: Date.now() };
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

  /** Frees the room of pieces; where that fails, time does. */
  #drop(pieces: string): void {
    const { stream, subjects } = this.#place;
    this.#stream.manager.streams.purge(stream, { filter: `${subjects}.${pieces}.>` }).catch(() => {});
  }

  /** What is kept under a key; undefined if there is nothing. */
  async get(key: string): Promise<StoredValue | undefined> {
    for (let reads = 0; reads < maxReads; reads++) {
      const found = await this.#last(key);
      if (!found) return undefined;
      const whole = await this.#whole(key, found);
      if (whole) return whole;
      // Another value took its place while its pieces were read.
    }
    return undefined;
  }

  async #whole(key: string, found: StoredMsg): Promise<StoredValue | undefined> {
    const [part, count] = found.header.get(piecesHeader).split(' ');
    const value = count ? await this.#pieces(`${key}.${part}`, Number(count)) : Buffer.from(found.data);
    if (!value) return undefined;
    const at = found.time.getTime();
    this.#see(key, { part: count ? part : undefined, bytes: taken(value.length), at });
    return { value, revision: found.seq, at };
  }

  /**
   * What is kept under each of some keys, as far as it is known where it was asked: what was written in the last moment may
   * be missing, or be what was there before.
   */
  async getEarlier(keys: readonly string[]): Promise<(StoredValue | undefined)[]> {
    const { stream, subjects } = this.#place;
    const found = new Map<string, StoredMsg>();
    try {
      const multi_last = keys.map(key => `${subjects}.${key}`);
      for await (const message of await this.#stream.manager.direct.getLastMessagesFor(stream, {
        multi_last,
      }))
        found.set(message.subject.slice(subjects.length + 1), message);
    } catch {
      // Whatever is missing is asked of the leader.
    }
    return Promise.all(
      keys.map(async key => {
        const message = found.get(key);
        return (message && (await this.#whole(key, message))) ?? this.get(key);
      }),
    );
  }

  /** Forgets a key and those below it; false if there was nothing under the key itself. */
  async remove(key: string): Promise<boolean> {
    const { stream, subjects } = this.#place;
    await this.#uncount(key);
    const purge = (filter: string) => retried(() => this.#stream.manager.streams.purge(stream, { filter }));
    const { purged } = await purge(`${subjects}.${key}`);
    await purge(`${subjects}.${key}.>`);
    this.#seen.delete(key);
    return purged > 0;
  }

  /** Takes the values under a key and below it off the count. */
  async #uncount(key: string): Promise<void> {
    const { stream, subjects } = this.#place;
    const multi_last = [`${subjects}.${key}`, `${subjects}.${key}.>`];
    try {
      const found = await this.#stream.manager.direct.getLastMessagesFor(stream, { multi_last });
      for await (const { data, time } of found)
        this.#share.add(ownerOf(key), -data.length - messageOverhead, time.getTime());
    } catch {
      // Where there are too many to be told, time takes them off.
    }
  }

  async #pieces(key: string, count: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    for (let i = 0; i < count; i += together) {
      const some = Array.from({ length: Math.min(together, count - i) }, (_, k) => i + k);
      const found = await Promise.all(some.map(n => this.#last(`${key}.${n}`)));
      for (const piece of found) {
        if (!piece) return undefined;
        pieces.push(Buffer.from(piece.data));
      }
    }
    return Buffer.concat(pieces);
  }

  #last(key: string): Promise<StoredMsg | null> {
    const { stream, subjects } = this.#place;
    const query = { last_by_subj: `${subjects}.${key}` };
    return retried(() => this.#stream.manager.streams.getMessage(stream, query));
  }

  #publish(key: string, value: Uint8Array, extra?: MsgHdrs, after?: number): Promise<number> {
    const { stream, subjects } = this.#place;
    const to = { client: this.#client, manager: this.#stream.manager };
    const options = { stream, ttlMs: this.#ttlMs, after, ...(extra && { extra }) };
    return publish(to, `${subjects}.${key}`, value, options);
  }
}

/** The part of its stream's room that a value takes, in bytes. */
function taken(length: number): number {
  const pieces = length <= pieceBytes ? 0 : Math.ceil(length / pieceBytes);
  return length + (1 + pieces) * messageOverhead;
}
