import { openPlaces } from './places.ts';
import { type Beat, lostMs } from './protocol.ts';

interface KnownWorker extends Beat {
  id: string;
  pool: string;
  heardAt: number;
  /** Between when and when, since it was heard, the server knew nobody who listens as it. */
  missed?: { from: number; to: number };
  /** The tokens that it had no place for though it had some. */
  turnedAway: Map<string, Probe>;
}

/** `due`: it has beaten since, and the next call of the token may find out if that is still so. `made`: one has. */
type Probe = 'due' | 'made';

/** The workers that a caller has heard, and how busy they are. */
export class Workers {
  readonly #known = new Map<string, KnownWorker>();

  /** A worker said that it lives. */
  heard(pool: string, id: string, beat: Beat, now: number): void {
    const turnedAway = this.#known.get(id)?.turnedAway ?? new Map<string, Probe>();
    for (const [token, probe] of turnedAway) {
      // A token for which nothing has waited since the beat before needs no memory.
      if (probe === 'due') turnedAway.delete(token);
      else turnedAway.set(token, 'due');
    }
    this.#known.set(id, { id, pool, ...beat, heardAt: now, turnedAway });
  }

  /** A worker took a call, perhaps before its first beat was heard. */
  accepted(pool: string, id: string, token: string, now: number): void {
    const worker = this.#known.get(id);
    if (worker) {
      worker.heardAt = now;
      delete worker.missed;
      worker.turnedAway.delete(token);
    } else this.#known.set(id, { id, pool, load: 1, capacity: 1, heardAt: now, turnedAway: new Map() });
  }

  /** A worker that is full, as far as is known: it gets no call until it beats again. */
  full(id: string): void {
    const worker = this.#known.get(id);
    if (worker) worker.load = worker.capacity;
  }

  /** A worker has places, but none for this token: until it beats again, that gets only those that any token may take. */
  keptFrom(id: string, token: string): void {
    this.#known.get(id)?.turnedAway.set(token, 'made');
  }

  /** Takes a place for a token at the least loaded worker of a pool that has one; undefined if none has. */
  take(pool: string, token: string, now: number): string | undefined {
    let best: KnownWorker | undefined;
    for (const worker of this.#known.values()) {
      if (worker.pool !== pool || worker.load >= placesFor(worker, token)) continue;
      if (worker.missed || now - worker.heardAt >= lostMs) continue;
      if (!best || worker.load / worker.capacity < best.load / best.capacity) best = worker;
    }
    if (!best) return undefined;
    best.load++;
    if (best.turnedAway.has(token)) best.turnedAway.set(token, 'made');
    return best.id;
  }

  /** The server knows nobody who listens as this worker: it is gone, or the way to it is cut for a moment. */
  missed(id: string, now: number): void {
    const worker = this.#known.get(id);
    if (worker) worker.missed = { from: worker.missed?.from ?? now, to: now };
  }

  /** The workers that were missed since they were heard, and for how long, in milliseconds. */
  missing(): { id: string; ms: number }[] {
    return [...this.#known.values()].flatMap(({ id, missed }) =>
      missed ? [{ id, ms: missed.to - missed.from }] : [],
    );
  }

  /** A worker is not there any more: it must beat to be known again. */
  gone(id: string): void {
    this.#known.delete(id);
  }

  lives(id: string, now: number): boolean {
    const worker = this.#known.get(id);
    return worker !== undefined && now - worker.heardAt < lostMs;
  }

  /** Whether any worker lives that takes calls. */
  any(now: number): boolean {
    return [...this.#known.values()].some(worker => worker.capacity > 0 && now - worker.heardAt < lostMs);
  }

  forgetLost(now: number): void {
    for (const worker of this.#known.values())
      if (now - worker.heardAt > 10 * lostMs) this.#known.delete(worker.id);
  }
}

/** How many of a worker's places a token may ask for, as far as is known. */
function placesFor({ capacity, turnedAway }: KnownWorker, token: string): number {
  return turnedAway.get(token) === 'made' ? openPlaces(capacity) : capacity;
}
