import type { Clock, Timer } from '@model-gateway/clock';
import type { StreamInfo } from '@nats-io/jetstream';
import { type KvEntry, Kvm, type KvWatchEntry } from '@nats-io/kv';
import type { QueuedIterator, Subscription } from 'nats';
import {
  type Announcement,
  type BucketName,
  bucketStream,
  type ControlHeartbeat,
  heartbeatKey,
} from './bucket.ts';
import { type Bus, jetStream, streamManager } from './connection.ts';
import { readJson, subscribe } from './faults.ts';
import { announceSubject } from './subjects.ts';

/** Receives a bucket's entries: first all existing ones, then each change. */
export interface BucketReader {
  put(key: string, value: unknown): void;
  remove(key: string): void;
  /** Called for each heartbeat of control; `notices` are messages for the operator, one sentence each. */
  beat?(notices: string[], control: string): void;
}

export interface BucketWatch {
  /** Time for which the reader may have missed changes, in milliseconds; 0 while it is up to date. */
  staleMs(): number;
  stop(): void;
}

/** Time without an entry after which the bucket is checked, in milliseconds. */
const silentMs = 3_000;
const checkMs = 1_000;
/** Time that a written entry may take to arrive, in milliseconds. */
const travelMs = 300;

/**
 * Feeds `reader` from a bucket, and resolves once it has received every entry that existed at the start.
 * Waits up to `timeoutMs` for control to create the bucket.
 */
export async function watchBucket(
  bus: Bus,
  name: BucketName,
  reader: BucketReader,
  timeoutMs = 120_000,
): Promise<BucketWatch> {
  const { clock } = bus;
  const follower = new Follower(bus, name, reader);
  const giveUp = clock.now() + timeoutMs;
  for (;;) {
    try {
      await follower.open(giveUp - clock.now());
      break;
    } catch (error) {
      if (clock.now() > giveUp) {
        follower.stop();
        throw error;
      }
      await clock.sleep(100);
    }
  }
  follower.start();
  return follower;
}

/**
 * Follows a bucket by a watch, and by the announcements that precede its writes. The watch's consumer lives on one
 * NATS server and stops without an error when that server dies; the watch is then reopened.
 */
class Follower implements BucketWatch {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #name: BucketName;
  readonly #reader: BucketReader;
  readonly #announcements: Subscription;
  /** The version of each key that the reader has received. */
  readonly #versions = new Map<string, number>();
  #watch: QueuedIterator<KvWatchEntry> | undefined;
  #revision = 0;
  /** Creation time of the stream behind the bucket. A recreated stream starts its revisions from 1. */
  #created = '';
  #heardAt: number;
  /** True if the watch has ended by itself. */
  #ended = false;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(bus: Bus, name: BucketName, reader: BucketReader) {
    this.#bus = bus;
    this.#clock = bus.clock;
    this.#heardAt = this.#clock.now();
    this.#name = name;
    this.#reader = reader;
    this.#announcements = subscribe(bus.state, announceSubject(name), bus.faults, message =>
      this.#announced(message.json()),
    );
  }

  staleMs(): number {
    const silence = this.#clock.now() - this.#heardAt;
    return silence > silentMs + 2 * checkMs ? silence : 0;
  }

  stop(): void {
    this.#stopped = true;
    this.#clock.clearTimeout(this.#timer);
    this.#announcements.unsubscribe();
    this.#watch?.stop();
  }

  /** Checks each second that the watch still delivers. */
  start(): void {
    this.#timer = this.#clock
      .setTimeout(async () => {
        const isSilent = this.#clock.now() - this.#heardAt >= silentMs;
        if (isSilent || this.#ended) await this.#check().catch(() => {});
        if (!this.#stopped) this.start();
      }, checkMs)
      .unref();
  }

  /** Reads the whole bucket by a new watch, which replaces the previous one. */
  async open(timeoutMs: number): Promise<void> {
    const created = (await this.#info()).created;
    // Versions of another stream cannot be compared.
    if (created !== this.#created) for (const key of this.#versions.keys()) this.#versions.set(key, 0);
    const kv = await new Kvm(jetStream(this.#bus)).open(this.#name);
    const watch = await kv.watch();
    this.#watch?.stop();
    if (this.#stopped) return watch.stop();
    this.#watch = watch;
    const loaded = Promise.withResolvers<void>();
    const timer = this.#clock.setTimeout(
      () => loaded.reject(new Error(`the ${this.#name} bucket did not load within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const over = (why: unknown) => {
      loaded.reject(why);
      const isClosing = this.#bus.state.isClosed() || this.#bus.state.isDraining();
      if (this.#watch !== watch || this.#stopped || isClosing) return;
      if (this.#created) this.#bus.faults.report('reader', why);
      this.#ended = true;
    };
    this.#read(watch, loaded.resolve).then(
      () => over(new Error(`the watch of the ${this.#name} bucket has ended`)),
      over,
    );
    await loaded.promise.finally(() => this.#clock.clearTimeout(timer));
    this.#ended = false;
    this.#created = created;
  }

  async #read(watch: QueuedIterator<KvWatchEntry>, loaded: () => void): Promise<void> {
    let missing: Set<string> | undefined = new Set(this.#versions.keys());
    for await (const entry of watch) {
      this.#heardAt = this.#clock.now();
      this.#revision = entry.revision;
      missing?.delete(entry.key);
      this.#apply(entry);
      if (!missing || entry.delta !== 0) continue;
      for (const key of missing) this.#remove(key);
      missing = undefined;
      loaded();
    }
  }

  /** Checks the bucket after silence: control may be down, or the watch may be dead. */
  async #check(): Promise<void> {
    const { created, state } = await this.#info();
    const isBehind = () => created !== this.#created || state.last_seq > this.#revision;
    if (created === this.#created && isBehind() && !this.#ended) await this.#clock.sleep(travelMs);
    if (isBehind() || this.#ended) await this.open(silentMs);
    this.#heardAt = this.#clock.now();
  }

  async #info(): Promise<StreamInfo> {
    return (await streamManager(this.#bus)).streams.info(bucketStream(this.#name));
  }

  #apply(entry: KvEntry): void {
    const value = entry.operation === 'PUT' ? readJson<never>(entry) : undefined;
    // An entry that cannot be read must not block those after it.
    this.#bus.faults.run('reader', () => {
      if (entry.operation !== 'PUT') this.#remove(entry.key);
      else if (value === undefined) return;
      else if (entry.key === heartbeatKey) this.#heartbeat(value);
      else this.#put(entry.key, value);
    });
  }

  #heartbeat({ notices, control = '' }: ControlHeartbeat): void {
    this.#reader.beat?.(notices, control);
  }

  #announced({ key, value }: Announcement): void {
    // During the first read, the watch delivers the announced change as well.
    if (this.#created) this.#put(key, value);
  }

  #put(key: string, value: { version: number }): void {
    // JetStream replies to any subject that a request names, so a reply may be stored under control's keys.
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
