import type { AnnouncedAttempts } from './call-attempts.ts';
import { protocolVersion } from './frame.ts';
import { heartbeatMs, Life, lostMs, silentMs } from './liveness.ts';
import type { HeartbeatMessage } from './protocol.ts';
import { type OverShare, openSlots } from './slots.ts';

/**
 * Time after a call's end in which a live worker records its usage, in milliseconds: it buffers records for 100 ms,
 * and sends them again if NATS does not acknowledge them within 1.5 s.
 */
const recordMs = 5_000;
/** The most ended calls per worker that are remembered for {@link recordMs}. */
export const maxEndedCalls = 50_000;

/** The room that a call needs at a worker. */
export interface SlotRequest {
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

/** `silent`: a heartbeat is overdue, and it is not known yet whether the worker is lost. */
type OpenedState = 'alive' | 'silent' | 'lost';

/** Larger than any body: no body was refused. */
const noBody = Number.POSITIVE_INFINITY;

/** The workers whose heartbeats a caller receives, with their load and the calls that they ended last. */
export class Workers {
  readonly #known = new Map<string, KnownWorker>();
  /** The pools with a worker that lives and gets no work. */
  readonly #silentPools = new Set<string>();
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
    if (known && known.beatAt > this.#backAt) this.losses.heard(now - known.beatAt);
    const life = known?.life ?? new Life(now);
    life.heard(now);
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
    this.#known.set(id, {
      ...{ id, pool, ...heartbeat, life, beatAt: now },
      ...{ turnedAway, projectsAway, ended: recent },
    });
  }

  /** Records that a worker sent something else than a heartbeat. */
  spoke(id: string, now: number): void {
    this.#known.get(id)?.life.heard(now);
  }

  /**
   * Records that a worker accepted a call, perhaps before its first heartbeat arrived. `taken` is true if the place was
   * taken before by {@link take}.
   */
  accepted(
    pool: string,
    id: string,
    { token, project, bytes }: SlotRequest,
    taken: boolean,
    now: number,
  ): void {
    const worker = this.#known.get(id);
    if (worker) {
      worker.life.heard(now);
      if (!taken) worker.load++;
      const away = worker.turnedAway.get(token);
      // An accepted small body does not show that there is room for a large one.
      if (away && bytes < away.bytes && away.bytes !== noBody) away.places = false;
      else worker.turnedAway.delete(token);
      worker.projectsAway.delete(project);
    } else {
      const assumed = { load: 1, capacity: 1, version: protocolVersion };
      this.#known.set(id, { id, pool, ...assumed, life: new Life(now), beatAt: now, ...unheard() });
    }
  }

  /** Records that a call has ended that a worker had accepted: a place is free, perhaps for another call of its owner. */
  freed(id: string, { token, project }: SlotRequest): void {
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
    { token, project, bytes }: SlotRequest,
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
  take(pool: string, slotRequest: SlotRequest, now: number): string | undefined {
    const { token, project } = slotRequest;
    let best: KnownWorker | undefined;
    for (const worker of this.#known.values()) {
      if (!isReachable(worker, pool, now)) continue;
      if (worker.load >= Math.min(slotsFor(worker, slotRequest), placesOf(worker, project))) continue;
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

  /** The lives of the workers. */
  *lives(): Generator<[id: string, life: Life], void> {
    for (const [id, { life }] of this.#known) yield [id, life];
  }

  /** Returns the life of a worker; undefined if it is not known. */
  lifeOf(id: string): Life | undefined {
    return this.#known.get(id)?.life;
  }

  isLost(id: string, now: number): boolean {
    return this.#known.get(id)?.life.isLost(now) !== false;
  }

  /** Notes which pools have a worker that gets no work though NATS still gives it a part of their openings. */
  noteSilent(now: number): void {
    this.#silentPools.clear();
    for (const { pool, capacity, life } of this.#known.values())
      if (capacity > 0 && !life.mayWork(now) && !life.isLost(now)) this.#silentPools.add(pool);
  }

  /** True if openings of the pool must be sent to a worker by its name. */
  hasSilent(pool: string): boolean {
    return this.#silentPools.size > 0 && this.#silentPools.has(pool);
  }

  /**
   * Returns the state of the workers that an opening sent at `openedAt` may have reached: of `id`, or of all workers
   * that the pool had then. A busy worker still sends heartbeats.
   */
  stateOf({ pool, id, openedAt }: SentOpening, now: number): OpenedState {
    // While the connection is down, neither heartbeats nor openings pass.
    if (!this.#connected() || openedAt <= this.#backAt) return 'alive';
    let silent = false;
    for (const worker of this.#known.values()) {
      const { life } = worker;
      const lived =
        worker.pool === pool && worker.capacity > 0 && life.heardAt >= openedAt - 1.5 * heartbeatMs;
      if (id === undefined ? !lived : worker.id !== id) continue;
      if (life.isLost(now)) return 'lost';
      silent ||= life.isInDoubt(now);
    }
    return silent ? 'silent' : 'alive';
  }

  /** True if a worker takes calls. */
  any(now: number): boolean {
    return [...this.#known.values()].some(
      worker => worker.capacity > 0 && speaksThisVersion(worker) && worker.life.mayWork(now),
    );
  }

  /** True if the pool has a worker, with room or not. */
  hasWorker(pool: string, now: number): boolean {
    return [...this.#known.values()].some(
      worker =>
        worker.pool === pool && worker.capacity > 0 && speaksThisVersion(worker) && !worker.life.isLost(now),
    );
  }

  /** Records that a worker ended or cancelled a call. It may still be lost before it records the usage. */
  ended(id: string, attempts: AnnouncedAttempts, now: number): void {
    const worker = this.#known.get(id);
    if (worker && worker.ended.length < maxEndedCalls) worker.ended.push({ attempts, at: now });
  }

  /** Takes the recently ended calls of lost workers, whose usage may not be recorded. */
  takeUnrecorded(now: number): AnnouncedAttempts[] {
    const lost = [...this.#known.values()].filter(({ life }) => life.isLost(now));
    return lost.flatMap(worker => worker.ended.splice(0).map(({ attempts }) => attempts));
  }

  /** Counts the workers that were lost since the last call; none while heartbeats cannot pass. */
  countLost(now: number): void {
    if (!this.#connected() || now - this.#backAt < silentMs) return;
    for (const worker of this.#known.values())
      if (worker.capacity > 0 && worker.life.isLost(now)) this.losses.lost(worker);
  }

  forgetLost(now: number): void {
    for (const worker of this.#known.values())
      if (now - worker.life.heardAt > 2 * lostMs && worker.ended.length === 0) this.#known.delete(worker.id);
  }
}

/** The number of a worker's places that a project may use, as far as the caller knows. */
function placesOf({ capacity, projectsAway }: KnownWorker, project: string): number {
  return projectsAway.get(project) === 'made' ? 0 : capacity;
}

/** The number of a worker's places that a token may use for a call, as far as the caller knows. */
function slotsFor({ capacity, turnedAway }: KnownWorker, { token, bytes }: SlotRequest): number {
  const away = turnedAway.get(token);
  if (away?.probe !== 'made') return capacity;
  if (bytes >= away.bytes) return 0;
  return away.places ? openSlots(capacity) : capacity;
}

/** Counts the workers and the heartbeats that a caller lost. */
class WorkerLosses {
  /** Workers that were lost without being drained. */
  workers = 0;
  /** Heartbeats of live workers that did not arrive in time. */
  heartbeats = 0;
  /** The last heartbeats of workers that are lost. */
  readonly #lost = new WeakSet<object>();

  /** Counts the heartbeats that are missing before one that came `ms` milliseconds after the last. */
  heard(ms: number): void {
    if (ms > 1.5 * heartbeatMs) this.heartbeats += Math.round(ms / heartbeatMs) - 1;
  }

  /** Counts a worker that is lost, once; `last` is what it sent last. */
  lost(last: object): void {
    if (this.#lost.has(last)) return;
    this.#lost.add(last);
    this.workers++;
  }
}

/** A worker as a caller knows it. */
interface KnownWorker extends HeartbeatMessage {
  id: string;
  pool: string;
  readonly life: Life;
  /** Time of its last heartbeat, in milliseconds since 1970. */
  beatAt: number;
  /** Tokens whose calls the worker refused although it had room for other tokens. */
  turnedAway: Map<string, TurnedAway>;
  /** Projects whose calls it refused although it had room for others. */
  projectsAway: Map<string, Probe>;
  /** The calls that it ended so recently that their usage may not be recorded. */
  ended: EndedCall[];
}

interface EndedCall {
  attempts: AnnouncedAttempts;
  at: number;
}

/** `due`: a heartbeat came since a refusal, so one call may probe again. `made`: the probe was sent. */
type Probe = 'due' | 'made';

/** A token whose calls a worker refused although it had room for other tokens. */
interface TurnedAway {
  probe: Probe;
  /** True if the token may take only places that are not reserved. */
  places: boolean;
  /** Size of the smallest body that was refused. */
  bytes: number;
}

/** The state of a worker before its first heartbeat. */
export function unheard(): Pick<KnownWorker, 'turnedAway' | 'projectsAway' | 'ended'> {
  return { turnedAway: new Map(), projectsAway: new Map(), ended: [] };
}

/** True if a call can be sent to the worker. */
export function isReachable(worker: KnownWorker, pool: string, now: number): boolean {
  return worker.pool === pool && speaksThisVersion(worker) && worker.life.mayWork(now);
}

/** True if the worker uses this process's protocol version. */
function speaksThisVersion({ version }: KnownWorker): boolean {
  return version === protocolVersion;
}
