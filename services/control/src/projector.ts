import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { parseTokenKey } from '@model-gateway/access';
import { type BucketName, type Bus, openProjection, type Projection, watchBucket } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import type { Log } from '@model-gateway/service';
import { Announcements } from './announcements.ts';
import type { Change } from './change.ts';
import type { Seen } from './versions.ts';

/** The record, as far as it must be told. */
export interface Source {
  /** Puts the record's versions ahead of what KV holds; says whether it had to. */
  overtake(seen: Seen): Promise<boolean>;
  /** Every key that must be there, with its value. */
  everything(): Promise<Change[]>;
  /** As {@link everything}, of the catalog alone. */
  catalog(): Promise<Change[]>;
}

const beatEveryMs = 1_000;
/** How soon to try again what failed. */
const retryEveryMs = 250;
/** For how long a change waits for KV: NATS takes 4 to 9 s to choose a leader. */
const patienceMs = 10_000;
const loadMs = 10_000;
/** How often what was written is compared with the record while other controls write, too. */
const maxLooks = 5;

export interface ProjectorOptions {
  bus(): Promise<Bus>;
  source: Source;
  log: Log;
  /** What the fleet is told with each beat. */
  notices?(): string[];
  /** On how many NATS servers a bucket is kept. */
  replicas?: number;
}

/**
 * Tells the fleet what the record holds, through KV. While NATS is away it is behind; once NATS is back
 * it compares everything, so that what failed to be sent needs no memory of its own.
 */
export class Projector {
  readonly #bus: () => Promise<Bus>;
  readonly #source: Source;
  readonly #log: Log;
  readonly #notices: () => string[];
  readonly #replicas: number;
  readonly #stop = new AbortController();
  /** Names this control in its beats: each control has notices of its own. */
  readonly #id = randomUUID();
  #projections: Record<BucketName, Projection> | undefined;
  #behind: string | undefined = 'has not been reached yet';
  readonly #announcements = new Announcements(({ bucket, key, value }) => {
    if (value) this.#projections?.[bucket].announce(key, value);
  });
  /** Sends and comparisons take turns: one that read the record earlier never writes later. */
  #work: Promise<unknown> = Promise.resolve();

  constructor({ bus, source, log, notices = () => [], replicas = 1 }: ProjectorOptions) {
    this.#bus = bus;
    this.#source = source;
    this.#log = log;
    this.#notices = notices;
    this.#replicas = replicas;
  }

  /** Whether it has begun: until then nothing need be sent, since it begins with everything. */
  started = false;

  /** Begins to beat, and compares until KV holds what the record does. */
  async start(): Promise<void> {
    this.started = true;
    while (!this.#stop.signal.aborted) {
      await this.#tick();
      const pause = this.#behind === undefined ? beatEveryMs : retryEveryMs;
      await sleep(pause, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#announcements.stop();
  }

  problems(): string[] {
    return this.#behind === undefined ? [] : [`NATS does not hold the latest record: ${this.#behind}`];
  }

  /** @throws GatewayError of kind `overloaded` if the fleet cannot be told of a change, not even soon */
  async assertCurrent(): Promise<void> {
    if (!(await this.#caughtUp()))
      throw unreachable('The message bus cannot be reached. Nothing was changed.');
  }

  /**
   * Writes changes that the record already holds, and resolves once KV has them.
   * @throws GatewayError of kind `overloaded` if it cannot now; it will as soon as NATS is back
   */
  async send(changes: Change[]): Promise<void> {
    this.#announcements.add(changes);
    try {
      await this.#inTurn(() => this.#writeOn(changes));
    } catch (error) {
      this.#fallBehind(error);
      // To catch up is to write this change, too.
      if (!(await this.#caughtUp()))
        throw unreachable('The message bus cannot be reached. The change will take effect once it is back.');
    }
  }

  async #caughtUp(): Promise<boolean> {
    const giveUp = Date.now() + patienceMs;
    while (this.#behind !== undefined && Date.now() < giveUp && !this.#stop.signal.aborted)
      await sleep(retryEveryMs / 5);
    return this.#behind === undefined;
  }

  async #tick(): Promise<void> {
    try {
      if (this.#behind === undefined) await Promise.all(buckets.map(name => this.#beat(name)));
      else await this.#inTurn(() => this.#compare());
    } catch (error) {
      this.#fallBehind(error);
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }

  #projection(name: BucketName): Projection {
    if (!this.#projections) throw new Error('not connected');
    return this.#projections[name];
  }

  /** Writes on where everything before was written. */
  async #writeOn(changes: readonly Change[]): Promise<void> {
    if (this.#behind !== undefined) throw new Error(this.#behind);
    await this.#write(changes);
    this.#announcements.written(changes);
  }

  /**
   * Writes, and looks whether the record still says so. Two controls may write one key of the catalog at the same time, and
   * a removal has no version by which the later one wins: so whoever wrote last puts it right. Tokens are never removed.
   */
  async #write(changes: readonly Change[]): Promise<void> {
    await this.#put(changes);
    let written = changes.filter(({ bucket }) => bucket === 'catalog');
    for (let looks = 0; written.length > 0; looks++) {
      if (looks === maxLooks) throw new Error('the catalog changes faster than it can be written');
      written = superseded(written, await this.#source.catalog());
      await this.#put(written);
    }
  }

  async #put(changes: readonly Change[]): Promise<void> {
    for (const { bucket, key, value } of changes) {
      if (value) await this.#projection(bucket).put(key, value);
      else await this.#projection(bucket).remove(key);
    }
  }

  async #beat(name: BucketName): Promise<void> {
    await this.#projection(name).beat(this.#id, this.#notices());
  }

  /** Makes both buckets hold what the record does. */
  async #compare(): Promise<void> {
    const bus = await this.#bus();
    const announced = this.#announcements.all;
    const [access, catalog] = await Promise.all(
      buckets.map(name => openProjection(bus, name, this.#replicas)),
    );
    this.#projections = { access, catalog } as Record<BucketName, Projection>;
    // KV is read before the record: what another control adds in between is then in both, or in the record alone.
    const seen = await this.#readAll(bus);
    let recorded = await this.#source.everything();
    if (await this.#source.overtake(summary(seen, recorded))) {
      this.#log.warn('KV held later versions than the database, which now counts on from them');
      recorded = await this.#source.everything();
    }
    const changes = difference(seen, recorded);
    await this.#write(changes);
    this.#announcements.written(announced);
    this.#behind = undefined;
    this.#log.info({ changes: changes.length }, 'KV holds what the record does');
  }

  async #readAll(bus: Bus): Promise<Held> {
    const seen: Held = { access: new Map(), catalog: new Map() };
    for (const name of buckets) {
      // A bucket with nothing in it would never be heard of.
      await this.#beat(name);
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

function unreachable(message: string): GatewayError {
  return new GatewayError('overloaded', message, { retryAfterMs: 1_000 });
}

const buckets = ['access', 'catalog'] as const satisfies BucketName[];

/** A value in KV, as far as it matters whose it is. */
interface HeldValue {
  version: number;
  revoked?: boolean;
}

/** What KV holds, by bucket and key. */
type Held = Record<BucketName, Map<string, HeldValue>>;

/** What must be written so that KV holds what is wanted and nothing else. */
function difference(held: Held, wanted: Change[]): Change[] {
  const kept = new Set(wanted.map(({ bucket, key }) => `${bucket} ${key}`));
  const gone = buckets.flatMap(bucket =>
    [...held[bucket].keys()]
      .filter(key => !kept.has(`${bucket} ${key}`))
      .map(key => ({ bucket, key, value: null })),
  );
  const late = wanted.filter(({ bucket, key, value }) => !isDeepStrictEqual(held[bucket].get(key), value));
  return [...late, ...gone];
}

/** `recorded`: what the record held after KV was read. A version of KV can be higher only if it is that of another record. */
function summary(held: Held, recorded: Change[]): Seen {
  const { access, catalog } = held;
  const entries = [...access.values(), ...catalog.values()];
  const revoked = [...access].filter(([, entry]) => entry.revoked).map(([key]) => parseTokenKey(key));
  return {
    highest: entries.reduce((highest, { version }) => Math.max(highest, version), 0),
    ahead: recorded.some(
      ({ bucket, key, value }) => value && (held[bucket].get(key)?.version ?? 0) > value.version,
    ),
    revoked: revoked.filter(hash => hash !== undefined),
  };
}

/** What the record says now of the keys of `written`, where it says something else. */
function superseded(written: readonly Change[], recorded: Change[]): Change[] {
  const now = new Map(recorded.map(change => [`${change.bucket} ${change.key}`, change]));
  return written.flatMap(({ bucket, key, value }) => {
    const change = now.get(`${bucket} ${key}`) ?? { bucket, key, value: null };
    return change.value?.version === value?.version ? [] : [change];
  });
}
