import type { AnnouncedAttempts } from './call-request.ts';
import { protocolVersion } from './frame.ts';
import {
  isAlive,
  isReachable,
  type KnownWorker,
  silentMs,
  speaksThisVersion,
  unheard,
} from './known-worker.ts';
import type { OverShare } from './places.ts';
import { openPlaces } from './project-places.ts';
import { type HeartbeatMessage, lostMs } from './protocol.ts';
import { WorkerLosses } from './worker-losses.ts';

/**
 * Time after a call's end in which a live worker records its usage, in milliseconds: it buffers records for 100 ms,
 * and sends them again if NATS does not acknowledge them within 1.5 s.
 */
const recordMs = 5_000;
/** The most ended calls per worker that are remembered for {@link recordMs}. */
export const maxEndedCalls = 50_000;

/** The room that a call needs at a worker. */
export interface PlaceRequest {
  token: string;
  project: string;
  /** Bytes of the call's body; 0 if the body is streamed. */
  bytes: number;
}

/** An opening frame that was sent to one worker, perhaps with a place taken, or to the pool's queue group if `id` is undefined. */
export interface SentOpening {
  pool: string;
  id: string | undefined;
  taken?: boolean;
  openedAt: number;
}

/** `silent`: a heartbeat is overdue, but `lostMs` have not passed yet. */
export type Fate = 'alive' | 'silent' | 'lost';

/** Larger than any body: no body was refused. */
const noBody = Number.POSITIVE_INFINITY;

/** The workers whose heartbeats a caller receives, with their load and the calls that they ended last. */
export class Workers {
  readonly #known = new Map<string, KnownWorker>();
  readonly #connected: () => boolean;
  /** Time of the last reconnect, in milliseconds since 1970. */
  #backAt = 0;
  readonly losses = new WorkerLosses();

  /** `connected`: false while heartbeats and openings do not pass. */
  constructor(connected: () => boolean = () => true) {
    this.#connected = connected;
  }

  /** Records that the connection is back after a disconnect. */
  reconnected(now: number): void {
    this.#backAt = now;
  }

  /** Records a heartbeat. */
  heard(pool: string, id: string, heartbeat: HeartbeatMessage, now: number): void {
    const known = this.#known.get(id);
    if (known && known.heardAt > this.#backAt) this.losses.heard(now - known.heardAt);
    const { turnedAway, projectsAway, ended } = known ?? unheard();
    for (const [token, away] of turnedAway) {
      // No call of this token was made since the previous heartbeat: forget it.
      if (away.probe === 'due') turnedAway.delete(token);
      else away.probe = 'due';
    }
    for (const [project, probe] of projectsAway) {
      if (probe === 'due') projectsAway.delete(project);
      else projectsAway.set(project, 'due');
    }
    const recent = ended.filter(({ at }) => now - at < recordMs);
    this.#known.set(id, { id, pool, ...heartbeat, heardAt: now, turnedAway, projectsAway, ended: recent });
  }

  /**
   * Records that a worker accepted a call, perhaps before its first heartbeat arrived. `taken` is true if the place was
   * taken before by {@link take}.
   */
  accepted(
    pool: string,
    id: string,
    { token, project, bytes }: PlaceRequest,
    taken: boolean,
    now: number,
  ): void {
    const worker = this.#known.get(id);
    if (worker) {
      worker.heardAt = now;
      if (!taken) worker.load++;
      delete worker.missed;
      delete worker.gone;
      const away = worker.turnedAway.get(token);
      // An accepted small body does not show that there is room for a large one.
      if (away && bytes < away.bytes && away.bytes !== noBody) away.places = false;
      else worker.turnedAway.delete(token);
      worker.projectsAway.delete(project);
    } else {
      const assumed = { load: 1, capacity: 1, version: protocolVersion };
      this.#known.set(id, { id, pool, ...assumed, heardAt: now, ...unheard() });
    }
  }

  /** Records that a call has ended that a worker had accepted: a place is free, perhaps for another call of its owner. */
  freed(id: string, { token, project }: PlaceRequest): void {
    const worker = this.#known.get(id);
    if (!worker) return;
    worker.load = Math.max(0, worker.load - 1);
    const away = worker.turnedAway.get(token);
    if (away) away.probe = 'due';
    if (worker.projectsAway.has(project)) worker.projectsAway.set(project, 'due');
  }

  /** Marks a worker as full: it gets no call until its next heartbeat. */
  full(id: string): void {
    const worker = this.#known.get(id);
    if (worker) worker.load = worker.capacity;
  }

  /**
   * Records that a worker has free places, but not for this token or project. Until the next heartbeat the token gets
   * only unreserved places there, the project none. If the worker had no memory for the body, the token gets a place only
   * for smaller bodies until then. `taken` as in {@link accepted}.
   */
  shareExceeded(
    id: string,
    { token, project, bytes }: PlaceRequest,
    overShare: OverShare,
    taken: boolean,
  ): void {
    const worker = this.#known.get(id);
    if (!worker) return;
    if (taken) worker.load = Math.max(0, worker.load - 1);
    if (overShare === 'project') return void worker.projectsAway.set(project, 'made');
    const ofBodies = overShare === 'bodies';
    const before = worker.turnedAway.get(token);
    worker.turnedAway.set(token, {
      probe: 'made',
      places: !ofBodies || (before?.places ?? false),
      bytes: Math.min(ofBodies ? bytes : noBody, before?.bytes ?? noBody),
    });
  }

  /** Takes a place for a call at the pool's least loaded worker with room; undefined if no worker has room. */
  take(pool: string, placeRequest: PlaceRequest, now: number): string | undefined {
    const { token, project } = placeRequest;
    let best: KnownWorker | undefined;
    for (const worker of this.#known.values()) {
      if (!isReachable(worker, pool, now)) continue;
      if (worker.load >= Math.min(placesFor(worker, placeRequest), placesOf(worker, project))) continue;
      if (!best || worker.load / worker.capacity < best.load / best.capacity) best = worker;
    }
    if (!best) return undefined;
    best.load++;
    const away = best.turnedAway.get(token);
    if (away) away.probe = 'made';
    if (best.projectsAway.has(project)) best.projectsAway.set(project, 'made');
    return best.id;
  }

  /** True if a worker of the pool may have a place for some token of the project. */
  hasRoom(pool: string, project: string, now: number): boolean {
    for (const worker of this.#known.values())
      if (isReachable(worker, pool, now) && worker.load < placesOf(worker, project)) return true;
    return false;
  }

  /** True if calls of the pool can be sent to the worker. */
  serves(id: string, pool: string, now: number): boolean {
    const worker = this.#known.get(id);
    return worker !== undefined && worker.capacity > 0 && isReachable(worker, pool, now);
  }

  /** Records that NATS reported no subscriber for the worker: it is gone, or its route is cut for a moment. */
  missed(id: string, now: number): void {
    const worker = this.#known.get(id);
    if (worker) worker.missed = { from: worker.missed?.from ?? now, to: now };
  }

  /** The workers that were unreachable since their last heartbeat, and for how many milliseconds. */
  missing(): { id: string; ms: number }[] {
    return [...this.#known.values()].flatMap(({ id, missed, gone }) =>
      missed && !gone ? [{ id, ms: missed.to - missed.from }] : [],
    );
  }

  /** Marks a worker as lost until its next heartbeat. */
  gone(id: string): void {
    const worker = this.#known.get(id);
    if (worker) worker.gone = true;
  }

  lives(id: string, now: number): boolean {
    const worker = this.#known.get(id);
    return worker !== undefined && isAlive(worker, now);
  }

  /**
   * Returns the state of the workers that an opening sent at `openedAt` may have reached: of `id`, or of all workers
   * that the pool had then. A busy worker still sends heartbeats.
   */
  fate({ pool, id, openedAt }: SentOpening, now: number): Fate {
    // While the connection is down, neither heartbeats nor openings pass.
    if (!this.#connected() || openedAt <= this.#backAt) return 'alive';
    let silent = false;
    for (const worker of this.#known.values()) {
      const lived = worker.pool === pool && worker.capacity > 0 && worker.heardAt >= openedAt - silentMs;
      if (id === undefined ? !lived : worker.id !== id) continue;
      if (!isAlive(worker, now)) return 'lost';
      silent ||= now - worker.heardAt > silentMs;
    }
    return silent ? 'silent' : 'alive';
  }

  /** True if a live worker takes calls. */
  any(now: number): boolean {
    return [...this.#known.values()].some(
      worker => worker.capacity > 0 && speaksThisVersion(worker) && isAlive(worker, now),
    );
  }

  /** Records that a worker ended or cancelled a call. It may still be lost before it records the usage. */
  ended(id: string, attempts: AnnouncedAttempts, now: number): void {
    const worker = this.#known.get(id);
    if (worker && worker.ended.length < maxEndedCalls) worker.ended.push({ attempts, at: now });
  }

  /** Takes the recently ended calls of lost workers, whose usage may not be recorded. */
  takeUnrecorded(now: number): AnnouncedAttempts[] {
    const lost = [...this.#known.values()].filter(worker => !isAlive(worker, now));
    return lost.flatMap(worker => worker.ended.splice(0).map(({ attempts }) => attempts));
  }

  /** Counts the workers that were lost since the last call; none while heartbeats cannot pass. */
  countLost(now: number): void {
    if (!this.#connected() || now - this.#backAt < lostMs) return;
    for (const worker of this.#known.values())
      if (worker.capacity > 0 && !isAlive(worker, now)) this.losses.lost(worker);
  }

  forgetLost(now: number): void {
    for (const worker of this.#known.values())
      if (now - worker.heardAt > 10 * lostMs && worker.ended.length === 0) this.#known.delete(worker.id);
  }
}

/** The number of a worker's places that a project may use, as far as the caller knows. */
function placesOf({ capacity, projectsAway }: KnownWorker, project: string): number {
  return projectsAway.get(project) === 'made' ? 0 : capacity;
}

/** The number of a worker's places that a token may use for a call, as far as the caller knows. */
function placesFor({ capacity, turnedAway }: KnownWorker, { token, bytes }: PlaceRequest): number {
  const away = turnedAway.get(token);
  if (away?.probe !== 'made') return capacity;
  if (bytes >= away.bytes) return 0;
  return away.places ? openPlaces(capacity) : capacity;
}
