import { protocolVersion } from './frame.ts';
import { openPlaces } from './places.ts';
import { type Beat, heartbeatMs, lostMs } from './protocol.ts';

interface KnownWorker extends Beat {
  id: string;
  pool: string;
  heardAt: number;
  /** Between when and when, since it was heard, the server knew nobody who listens as it. */
  missed?: { from: number; to: number };
  /** It was missed for too long, and counts as lost until it beats. */
  gone?: true;
  /** The tokens that it had no room for though it had some. */
  turnedAway: Map<string, TurnedAway>;
}

/** A token that a worker had no room for, though it had some. */
interface TurnedAway {
  /** `due`: the worker has beaten since, and the next call may find out if that is still so. `made`: one has. */
  probe: 'due' | 'made';
  /** There was no place for it but those that any token may take. */
  places: boolean;
  /** There was no room for a body of as many bytes. */
  bytes: number;
}

/** A call as far as it takes room at a worker. */
export interface Taking {
  token: string;
  /** The bytes of its body, where that is whole. */
  bytes: number;
}

/** An opening frame that was sent to a worker, or to whichever of a pool takes it. */
export interface SentOpening {
  pool: string;
  id: string | undefined;
  openedAt: number;
}

/** `silent`: a worker that lives would have been heard by now, and it is too early to take it for lost. */
export type Fate = 'alive' | 'silent' | 'lost';

/** The longest that a worker that lives may not have been heard, in milliseconds. */
const silentMs = 1.5 * heartbeatMs;

/** Larger than any body: none was turned away. */
const noBody = Number.POSITIVE_INFINITY;

/** The workers that a caller has heard, and how busy they are. */
export class Workers {
  readonly #known = new Map<string, KnownWorker>();

  /** A worker said that it lives. */
  heard(pool: string, id: string, beat: Beat, now: number): void {
    const turnedAway = this.#known.get(id)?.turnedAway ?? new Map<string, TurnedAway>();
    for (const [token, away] of turnedAway) {
      // A token for which nothing has waited since the beat before needs no memory.
      if (away.probe === 'due') turnedAway.delete(token);
      else away.probe = 'due';
    }
    this.#known.set(id, { id, pool, ...beat, heardAt: now, turnedAway });
  }

  /** A worker took a call, perhaps before its first beat was heard. */
  accepted(pool: string, id: string, { token, bytes }: Taking, now: number): void {
    const worker = this.#known.get(id);
    if (worker) {
      worker.heardAt = now;
      delete worker.missed;
      delete worker.gone;
      const away = worker.turnedAway.get(token);
      // A small body says nothing of the room for a large one.
      if (away && bytes < away.bytes && away.bytes !== noBody) away.places = false;
      else worker.turnedAway.delete(token);
    } else {
      const version = protocolVersion;
      this.#known.set(id, { id, pool, load: 1, capacity: 1, version, heardAt: now, turnedAway: new Map() });
    }
  }

  /** A worker that is full, as far as is known: it gets no call until it beats again. */
  full(id: string): void {
    const worker = this.#known.get(id);
    if (worker) worker.load = worker.capacity;
  }

  /**
   * A worker has places, but none for this token: until it beats again, that gets only those that any token may take. Or, where
   * `bodies` is set, it has no room for the body: until it beats again, the token gets a place there for smaller ones alone.
   */
  keptFrom(id: string, { token, bytes }: Taking, bodies: boolean): void {
    const worker = this.#known.get(id);
    if (!worker) return;
    const before = worker.turnedAway.get(token);
    worker.turnedAway.set(token, {
      probe: 'made',
      places: !bodies || (before?.places ?? false),
      bytes: Math.min(bodies ? bytes : noBody, before?.bytes ?? noBody),
    });
  }

  /** Takes a place for a call at the least loaded worker of a pool that has one; undefined if none has. */
  take(pool: string, taking: Taking, now: number): string | undefined {
    let best: KnownWorker | undefined;
    for (const worker of this.#known.values()) {
      if (worker.pool !== pool || !isSpokenTo(worker) || worker.load >= placesFor(worker, taking)) continue;
      if (worker.missed || !isAlive(worker, now)) continue;
      if (!best || worker.load / worker.capacity < best.load / best.capacity) best = worker;
    }
    if (!best) return undefined;
    best.load++;
    const away = best.turnedAway.get(taking.token);
    if (away) away.probe = 'made';
    return best.id;
  }

  /** The server knows nobody who listens as this worker: it is gone, or the way to it is cut for a moment. */
  missed(id: string, now: number): void {
    const worker = this.#known.get(id);
    if (worker) worker.missed = { from: worker.missed?.from ?? now, to: now };
  }

  /** The workers that were missed since they were heard, and for how long, in milliseconds. */
  missing(): { id: string; ms: number }[] {
    return [...this.#known.values()].flatMap(({ id, missed, gone }) =>
      missed && !gone ? [{ id, ms: missed.to - missed.from }] : [],
    );
  }

  /** A worker is not there any more: it must beat to be known again. */
  gone(id: string): void {
    const worker = this.#known.get(id);
    if (worker) worker.gone = true;
  }

  lives(id: string, now: number): boolean {
    const worker = this.#known.get(id);
    return worker !== undefined && isAlive(worker, now);
  }

  /**
   * Says what became of the workers that an opening sent at `openedAt` may have reached: of `id`, or of any that the pool had then.
   * One that lives, however busy, is heard each beat.
   */
  fate({ pool, id, openedAt }: SentOpening, now: number): Fate {
    let silent = false;
    for (const worker of this.#known.values()) {
      const lived = worker.pool === pool && worker.capacity > 0 && worker.heardAt >= openedAt - silentMs;
      if (id === undefined ? !lived : worker.id !== id) continue;
      if (!isAlive(worker, now)) return 'lost';
      silent ||= now - worker.heardAt > silentMs;
    }
    return silent ? 'silent' : 'alive';
  }

  /** Whether any worker lives that takes calls. */
  any(now: number): boolean {
    return [...this.#known.values()].some(
      worker => worker.capacity > 0 && isSpokenTo(worker) && isAlive(worker, now),
    );
  }

  forgetLost(now: number): void {
    for (const worker of this.#known.values())
      if (now - worker.heardAt > 10 * lostMs) this.#known.delete(worker.id);
  }
}

/** The places of a worker that a call may ask for, as far as is known. */
function placesFor({ capacity, turnedAway }: KnownWorker, { token, bytes }: Taking): number {
  const away = turnedAway.get(token);
  if (away?.probe !== 'made') return capacity;
  if (bytes >= away.bytes) return 0;
  return away.places ? openPlaces(capacity) : capacity;
}

/** Its messages can be read. */
function isSpokenTo({ version = 1 }: KnownWorker): boolean {
  return version === protocolVersion;
}

function isAlive({ heardAt, gone }: KnownWorker, now: number): boolean {
  return !gone && now - heardAt < lostMs;
}
