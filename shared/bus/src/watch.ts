import type { StreamInfo } from '@nats-io/jetstream';
import { type KvEntry, Kvm, type KvWatchEntry } from '@nats-io/kv';
import type { QueuedIterator, Subscription } from 'nats';
import {
  type Announcement,
  type BucketName,
  bucketStream,
  type ControlBeat,
  heartbeatKey,
} from './bucket.ts';
import type { Bus } from './connection.ts';
import { jetStream, streams } from './jet-stream.ts';
import { announceSubject } from './subjects.ts';

/** What a reader does with a bucket's entries, first all that are there, then each change as it comes. */
export interface BucketReader {
  put(key: string, value: unknown): void;
  remove(key: string): void;
  /** A control lives; `notices` is what an operator should know of it, in a sentence each. */
  beat?(notices: string[], control: string): void;
}

export interface BucketWatch {
  /** For how many milliseconds the reader may have missed changes; 0 while it is known to have all. */
  staleMs(): number;
  stop(): void;
}

/** A bucket from which nothing came for this long is looked at. */
const silentMs = 3_000;
const lookMs = 1_000;
/** How long what was written may be on its way. */
const travelMs = 300;

/**
 * Feeds `reader` from a bucket, and resolves once it has had every entry that was there at the start.
 * Waits for control to make the bucket, up to `timeoutMs`.
 */
export async function watchBucket(
  bus: Bus,
  name: BucketName,
  reader: BucketReader,
  timeoutMs = 120_000,
): Promise<BucketWatch> {
  const follower = new Follower(bus, name, reader);
  const giveUp = Date.now() + timeoutMs;
  for (;;) {
    try {
      await follower.open(giveUp - Date.now());
      break;
    } catch (error) {
      if (Date.now() > giveUp) {
        follower.stop();
        throw error;
      }
      await sleep(100);
    }
  }
  follower.start();
  return follower;
}

/**
 * Follows a bucket by a watch, and by the announcements that run ahead of it. The watch sits on one NATS server and
 * falls silent without a sound when that server dies: it is then opened anew.
 */
class Follower implements BucketWatch {
  readonly #bus: Bus;
  readonly #name: BucketName;
  readonly #reader: BucketReader;
  readonly #announcements: Subscription;
  /** The version of each key that the reader has. */
  readonly #versions = new Map<string, number>();
  #watch: QueuedIterator<KvWatchEntry> | undefined;
  #revision = 0;
  /** When the stream behind the bucket was made: another one counts from anew. */
  #made = '';
  #heardAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(bus: Bus, name: BucketName, reader: BucketReader) {
    this.#bus = bus;
    this.#name = name;
    this.#reader = reader;
    this.#announcements = bus.state.subscribe(announceSubject(name), {
      callback: (error, message) => {
        if (!error) this.#announced(message.json());
      },
    });
  }

  staleMs(): number {
    const silence = Date.now() - this.#heardAt;
    return silence > silentMs + 2 * lookMs ? silence : 0;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#announcements.unsubscribe();
    this.#watch?.stop();
  }

  /** Looks each second whether the watch still tells everything. */
  start(): void {
    this.#timer = setTimeout(async () => {
      if (Date.now() - this.#heardAt >= silentMs) await this.#look().catch(() => {});
      if (!this.#stopped) this.start();
    }, lookMs).unref();
  }

  /** Reads the whole bucket by a new watch, which then replaces the one before. */
  async open(timeoutMs: number): Promise<void> {
    const made = (await this.#info()).created;
    // Versions of another record, or of a lost one, say nothing.
    if (made !== this.#made) for (const key of this.#versions.keys()) this.#versions.set(key, 0);
    const kv = await new Kvm(jetStream(this.#bus)).open(this.#name);
    const watch = await kv.watch();
    this.#watch?.stop();
    if (this.#stopped) return watch.stop();
    this.#watch = watch;
    const loaded = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => loaded.reject(new Error(`the ${this.#name} bucket did not load`)),
      timeoutMs,
    );
    this.#read(watch, loaded.resolve).catch(loaded.reject);
    await loaded.promise.finally(() => clearTimeout(timer));
    this.#made = made;
  }

  async #read(watch: QueuedIterator<KvWatchEntry>, loaded: () => void): Promise<void> {
    let missing: Set<string> | undefined = new Set(this.#versions.keys());
    for await (const entry of watch) {
      this.#heardAt = Date.now();
      this.#revision = entry.revision;
      missing?.delete(entry.key);
      this.#apply(entry);
      if (!missing || entry.delta !== 0) continue;
      for (const key of missing) this.#remove(key);
      missing = undefined;
      loaded();
    }
  }

  /** Nothing came for a while: control may be away, or the watch may be dead. */
  async #look(): Promise<void> {
    const { created, state } = await this.#info();
    if (created === this.#made && state.last_seq > this.#revision) await sleep(travelMs);
    if (created !== this.#made || state.last_seq > this.#revision) await this.open(silentMs);
    this.#heardAt = Date.now();
  }

  async #info(): Promise<StreamInfo> {
    return (await streams(this.#bus)).streams.info(bucketStream(this.#name));
  }

  #apply(entry: KvEntry): void {
    try {
      if (entry.key === heartbeatKey) this.#beat(entry.json());
      else if (entry.operation === 'PUT') this.#put(entry.key, entry.json());
      else this.#remove(entry.key);
    } catch {
      // One entry that cannot be read must not hide those after it.
    }
  }

  #beat({ notices, control = '' }: ControlBeat): void {
    this.#reader.beat?.(notices, control);
  }

  #announced({ key, value }: Announcement): void {
    // One that comes while the bucket is first read is in what is read, or follows.
    if (this.#made) this.#put(key, value);
  }

  #put(key: string, value: { version: number }): void {
    // JetStream answers to any subject that a request names, so an answer of its may stand where control writes.
    if (!Number.isSafeInteger(value?.version)) return;
    if (value.version < (this.#versions.get(key) ?? 0)) return;
    this.#versions.set(key, value.version);
    this.#reader.put(key, value);
  }

  #remove(key: string): void {
    this.#versions.delete(key);
    this.#reader.remove(key);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
