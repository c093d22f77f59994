import { randomUUID } from 'node:crypto';
import {
  type JetStreamClient,
  type JetStreamManager,
  StorageType,
  StoreCompression,
  type StoredMsg,
} from '@nats-io/jetstream';
import { headers, type MsgHdrs } from 'nats';
import type { Bus } from '../connection.ts';
import { jetStream, streams } from '../jet-stream.ts';
import { isConflict, retried } from './retry.ts';

export interface KeepOptions {
  /** For how long a value is kept from its last writing, in milliseconds. */
  ttlMs: number;
  /** On how many NATS servers. */
  replicas: number;
}

/** A value that is kept. */
export interface Kept {
  value: Buffer;
  /** Rises with each writing of the key. */
  revision: number;
  /** When it was written, in milliseconds since 1970. */
  at: number;
}

/** Somebody else has written the key meanwhile. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

const stream = 'KEPT';
const subjects = 'gateway.v1.kept';
/** A larger value is kept in pieces of this size. */
const pieceBytes = 512 * 1024;
/** Pieces that are under way at once. */
const together = 8;
const piecesHeader = 'Gateway-Pieces';
const probeMs = 1_000;

/**
 * Values that outlive every process but NATS, each under a key: tokens of a subject with dots between them. What is put
 * can be read everywhere at once, since reads ask the stream's leader.
 */
export class Keep {
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #bus: Bus;
  readonly #options: KeepOptions;
  #probe: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #closed = false;

  private constructor(bus: Bus, manager: JetStreamManager, options: KeepOptions) {
    this.#bus = bus;
    this.#client = jetStream(bus);
    this.#manager = manager;
    this.#options = options;
  }

  /** Makes the stream where there is none, in the background if NATS cannot now. */
  static async open(bus: Bus, options: KeepOptions): Promise<Keep> {
    const keep = new Keep(bus, await streams(bus), options);
    await keep.#make().catch(error => keep.#lost(error));
    keep.#look();
    return keep;
  }

  /** Why nothing can be kept now. */
  get problem(): string | undefined {
    return this.#bus.connected() ? this.#problem : 'NATS cannot be reached';
  }

  close(): void {
    clearTimeout(this.#probe);
    this.#probe = undefined;
    this.#closed = true;
  }

  /**
   * Keeps a value, in place of the one before, and resolves with its revision once it lasts. `after` is the revision that
   * it follows, 0 for none. @throws Overtaken if the key has another
   */
  async put(key: string, value: Uint8Array, after?: number): Promise<number> {
    const extra = headers();
    let head = value;
    if (value.length > pieceBytes) {
      const part = randomUUID();
      const count = Math.ceil(value.length / pieceBytes);
      for (let i = 0; i < count; i += together) {
        const some = Array.from({ length: Math.min(together, count - i) }, (_, k) => i + k);
        await Promise.all(
          some.map(n =>
            // A copy: NATS keeps what it is given, and the value may be freed before it is sent.
            this.#publish(`${key}.${part}.${n}`, value.slice(n * pieceBytes, (n + 1) * pieceBytes)),
          ),
        );
      }
      extra.set(piecesHeader, `${part} ${count}`);
      head = new Uint8Array();
    }
    return this.#publish(key, head, extra, after);
  }

  /** What is kept under a key; undefined if there is nothing. */
  async get(key: string): Promise<Kept | undefined> {
    const found = await this.#last(key);
    return found ? this.#whole(key, found) : undefined;
  }

  async #whole(key: string, found: StoredMsg): Promise<Kept | undefined> {
    const [part, count] = found.header.get(piecesHeader).split(' ');
    const value = count ? await this.#pieces(`${key}.${part}`, Number(count)) : Buffer.from(found.data);
    return value && { value, revision: found.seq, at: found.time.getTime() };
  }

  /**
   * What is kept under each of some keys, as far as it is known where it was asked: what was written in the last moment may
   * be missing, or be what was there before.
   */
  async getEarlier(keys: readonly string[]): Promise<(Kept | undefined)[]> {
    const found = new Map<string, StoredMsg>();
    try {
      const multi_last = keys.map(key => `${subjects}.${key}`);
      for await (const message of await this.#manager.direct.getLastMessagesFor(stream, { multi_last }))
        found.set(message.subject.slice(subjects.length + 1), message);
    } catch {
      // Whatever is missing is asked of the leader.
    }
    return Promise.all(
      keys.map(key => {
        const message = found.get(key);
        return message ? this.#whole(key, message) : this.get(key);
      }),
    );
  }

  /** Forgets a key; false if there was nothing. */
  async remove(key: string): Promise<boolean> {
    const purge = (filter: string) => retried(() => this.#manager.streams.purge(stream, { filter }));
    const { purged } = await purge(`${subjects}.${key}`);
    await purge(`${subjects}.${key}.>`);
    return purged > 0;
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
    const query = { last_by_subj: `${subjects}.${key}` };
    return retried(() => this.#manager.streams.getMessage(stream, query));
  }

  /** Under one id, so that a second copy is none. */
  async #publish(key: string, value: Uint8Array, extra?: MsgHdrs, after?: number): Promise<number> {
    const options = {
      msgID: randomUUID(),
      ttl: `${Math.max(1, Math.ceil(this.#options.ttlMs / 1_000))}s`,
      ...(extra && { headers: extra }),
      ...(after !== undefined && { expect: { lastSubjectSequence: after } }),
    };
    try {
      const ack = await retried(() => this.#client.publish(`${subjects}.${key}`, value, options));
      return ack.seq;
    } catch (error) {
      if (isConflict(error)) throw new Overtaken(`${key} was written meanwhile`, { cause: error });
      throw error;
    }
  }

  async #make(): Promise<void> {
    const config = {
      name: stream,
      subjects: [`${subjects}.>`],
      storage: StorageType.File,
      compression: StoreCompression.S2,
      max_msgs_per_subject: 1,
      allow_msg_ttl: true,
      allow_direct: true,
      num_replicas: this.#options.replicas,
    };
    await this.#manager.streams.add(config).catch(() => this.#manager.streams.update(stream, config));
  }

  /** Looks each second whether the stream is there. */
  #look(): void {
    this.#probe = setTimeout(async () => {
      try {
        if (this.#problem) await this.#make();
        else await this.#manager.streams.info(stream);
        this.#problem = undefined;
      } catch (error) {
        this.#lost(error);
      }
      if (!this.#closed) this.#look();
    }, probeMs).unref();
  }

  #lost(error: unknown): void {
    this.#problem = `nothing can be kept: ${error instanceof Error ? error.message : String(error)}`;
  }
}
