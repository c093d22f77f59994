import { randomUUID } from 'node:crypto';
import {
  type Bus,
  openProjection,
  type Projection,
  type PublishedBucket,
  watchBucket,
} from '@model-gateway/bus';
import type { Clock } from '@model-gateway/clock';
import type { Log } from '@model-gateway/service';
import type { SecretsForWorkers } from '../catalog/for-workers.ts';
import type { KvSummary } from '../catalog/versions.ts';
import { changeWaits, nothingChanged } from '../common/bus-unreachable.ts';
import type { Change } from '../common/change.ts';
import { Announcements } from './announcements.ts';
import { buckets, difference, type Held, type HeldValue, summary, superseded } from './kv-comparison.ts';

/** The part of the database that is published in KV. */
export interface Source {
  /** Raises the database's versions above those in KV. Returns true if that was necessary. */
  overtake(seen: KvSummary): Promise<boolean>;
  /** Returns every key that KV must hold, with its value. */
  everything(): Promise<Change[]>;
  /** Like {@link everything}, for the catalog only. */
  catalog(): Promise<Change[]>;
}

const heartbeatEveryMs = 1_000;
/** The pause before a retry. */
const retryEveryMs = 250;
/** The longest time that a change waits for KV. NATS takes 4 to 9 s to elect a leader. */
const kvWaitMs = 10_000;
const loadMs = 10_000;
/** Time without a heartbeat after which another control is gone, in milliseconds. */
const otherGoneMs = 5_000;
/** The most comparisons of a write with the database while other controls write, too. */
const maxComparisons = 5;

interface ProjectorOptions {
  bus(): Promise<Bus>;
  source: Source;
  /** Seals the secrets of what is published; they are published as they are if absent. */
  secrets?: Pick<SecretsForWorkers, 'seal' | 'isOutdated'>;
  log: Log;
  clock: Clock;
  /** The notices that are sent with each heartbeat. */
  notices?(): string[];
  /** The number of NATS servers that store a bucket. */
  replicas?: number;
}

/**
 * Publishes the contents of the database to all services through KV. After a failure it compares everything once NATS
 * is back, so changes that could not be sent need not be remembered.
 */
export class Projector {
  readonly #bus: () => Promise<Bus>;
  readonly #source: Source;
  readonly #secrets: ProjectorOptions['secrets'];
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #notices: () => string[];
  readonly #replicas: number;
  readonly #stop = new AbortController();
  /** Identifies this control in its heartbeats, since each control has its own notices. */
  readonly #id = randomUUID();
  #projections: Record<PublishedBucket, Projection> | undefined;
  /** The other controls, and when each was heard last, by the clock's monotonic time. */
  readonly #others = new Map<string, number>();
  /** The bucket that each ingress writes the rests of targets to. */
  #health: Projection | undefined;
  /** The reason why KV is behind the database; undefined if it is not. */
  #behind: string | undefined = 'not connected yet';
  readonly #announcements: Announcements;
  /** Runs sends and comparisons one after another, so that an older read of the database never overwrites a newer one. */
  #work: Promise<unknown> = Promise.resolve();

  constructor({ bus, source, secrets, log, clock, notices = () => [], replicas = 1 }: ProjectorOptions) {
    this.#bus = bus;
    this.#source = source;
    this.#secrets = secrets;
    this.#log = log;
    this.#clock = clock;
    this.#notices = notices;
    this.#replicas = replicas;
    this.#announcements = new Announcements(({ bucket, key, value }) => {
      if (value) this.#projections?.[bucket].announce(key, value);
    }, clock);
  }

  /** True once started. Before that nothing needs to be sent, since the start publishes everything. */
  started = false;

  /** Sends heartbeats, and compares until KV matches the database. */
  async start(): Promise<void> {
    this.started = true;
    while (!this.#stop.signal.aborted) {
      await this.#tick();
      const pause = this.#behind === undefined ? heartbeatEveryMs : retryEveryMs;
      await this.#clock.sleep(pause, { signal: this.#stop.signal, ref: false }).catch(() => {});
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#announcements.stop();
  }

  problems(): string[] {
    return this.#behind === undefined ? [] : [`NATS does not hold the latest record: ${this.#behind}`];
  }

  /** Waits until KV matches the database. @throws GatewayError of kind `overloaded` if it does not within 10 s */
  async assertCurrent(): Promise<void> {
    if (!(await this.#caughtUp())) throw nothingChanged();
  }

  /**
   * Publishes changes that the database already holds, and resolves once KV has them.
   * @throws GatewayError of kind `overloaded` if NATS cannot be reached; the changes are written once it is back
   */
  async send(recorded: Change[]): Promise<void> {
    const changes = this.#sealed(recorded);
    this.#announcements.add(changes);
    try {
      await this.#inTurn(() => this.#writeOn(changes));
    } catch (error) {
      this.#fallBehind(error);
      // Catching up writes this change, too.
      if (!(await this.#caughtUp())) throw changeWaits();
    }
  }

  async #caughtUp(): Promise<boolean> {
    const giveUp = this.#clock.monotonic() + kvWaitMs;
    while (this.#behind !== undefined && this.#clock.monotonic() < giveUp && !this.#stop.signal.aborted)
      await this.#clock.sleep(retryEveryMs / 5);
    return this.#behind === undefined;
  }

  async #tick(): Promise<void> {
    try {
      const isDue = this.#behind !== undefined || this.#secrets?.isOutdated();
      if (isDue || (await this.#othersChanged())) return await this.#inTurn(() => this.#compare());
      await Promise.all([...buckets.map(name => this.#heartbeat(name)), this.#health?.beat(this.#id)]);
    } catch (error) {
      this.#fallBehind(error);
    }
  }

  /**
   * True if another control has come or gone. One of an older version writes tokens without the fields that it does not know, in
   * the version that they have.
   */
  async #othersChanged(): Promise<boolean> {
    const now = this.#clock.monotonic();
    const id = await this.#projection('access').beatBy();
    const isNew = id !== undefined && id !== this.#id && !this.#others.has(id);
    if (id !== undefined && id !== this.#id) this.#others.set(id, now);
    const gone = [...this.#others].filter(([, at]) => now - at > otherGoneMs);
    for (const [other] of gone) this.#others.delete(other);
    return isNew || gone.length > 0;
  }

  /** Returns changes as they are published. */
  #sealed(changes: Change[]): Change[] {
    const secrets = this.#secrets;
    return secrets ? changes.map(change => secrets.seal(change)) : changes;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }

  #projection(name: PublishedBucket): Projection {
    if (!this.#projections) throw new Error('not connected');
    return this.#projections[name];
  }

  /** Writes changes, provided that all earlier ones were written. */
  async #writeOn(changes: readonly Change[]): Promise<void> {
    if (this.#behind !== undefined) throw new Error(this.#behind);
    await this.#write(changes);
    this.#announcements.written(changes);
  }

  /**
   * Writes changes, then compares them with the database. Two controls may write the same key of the catalog at once, and
   * a removal has no version that decides which is later, so the last writer corrects KV. Tokens are never removed.
   */
  async #write(changes: readonly Change[]): Promise<void> {
    await this.#put(changes);
    let written = changes.filter(({ bucket }) => bucket === 'catalog');
    for (let comparisons = 0; written.length > 0; comparisons++) {
      if (comparisons === maxComparisons)
        throw new Error('the catalog changes faster than it can be written');
      written = superseded(written, this.#sealed(await this.#source.catalog()));
      await this.#put(written);
    }
  }

  async #put(changes: readonly Change[]): Promise<void> {
    for (const { bucket, key, value } of changes) {
      if (value) await this.#projection(bucket).put(key, value);
      else await this.#projection(bucket).remove(key);
    }
  }

  async #heartbeat(name: PublishedBucket): Promise<void> {
    await this.#projection(name).beat(this.#id, this.#notices());
  }

  /** Makes both buckets match the database. */
  async #compare(): Promise<void> {
    const bus = await this.#bus();
    const announced = this.#announcements.all;
    const [access, catalog] = await Promise.all(
      buckets.map(name => openProjection(bus, name, this.#replicas)),
    );
    this.#projections = { access, catalog } as Record<PublishedBucket, Projection>;
    this.#health = await openProjection(bus, 'health', this.#replicas);
    await this.#health.beat(this.#id);
    await openProjection(bus, 'limits', this.#replicas);
    // KV is read before the database, so what another control adds in between is in both, or in the database only.
    const seen = await this.#readAll(bus);
    let recorded = this.#sealed(await this.#source.everything());
    if (await this.#source.overtake(summary(seen, recorded))) {
      this.#log.warn('KV held later versions than the database; the versions in the database were raised');
      recorded = this.#sealed(await this.#source.everything());
    }
    const changes = difference(seen, recorded);
    await this.#write(changes);
    this.#announcements.written(announced);
    this.#behind = undefined;
    this.#log.info({ changes: changes.length }, 'KV matches the database');
  }

  async #readAll(bus: Bus): Promise<Held> {
    const seen: Held = { access: new Map(), catalog: new Map() };
    for (const name of buckets) {
      // Reading an empty bucket would not finish without a heartbeat in it.
      await this.#heartbeat(name);
      const reader = {
        put: (key: string, value: unknown) => seen[name].set(key, value as HeldValue),
        remove: (key: string) => seen[name].delete(key),
      };
      (await watchBucket(bus, name, reader, loadMs)).stop();
    }
    return seen;
  }

  #fallBehind(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#behind !== reason && !this.#stop.signal.aborted)
      this.#log.warn({ err: error }, 'cannot write to KV');
    this.#behind = reason;
  }
}
