import type { Envelope } from '@model-gateway/canonical';

/** Divisor of a worker's places that gives the reserved ones. */
const reservedPart = 5;
/**
 * Length of a period in milliseconds. The places that a project used or asked for in it are kept for it in the next one. Longer
 * than the time between two heartbeats, at which a caller with waiting calls asks a full worker again.
 */
export const claimMs = 1_500;
/** Time for which a project that was seen keeps the reserved places free of one that is alone, in milliseconds. */
export const seenMs = 600_000;

/** More than the error of a share, in places. */
const roundingError = 1e-6;

/** Returns the number of a worker's places that are not reserved. */
export function openSlots(capacity: number): number {
  return capacity - Math.floor(capacity / reservedPart);
}

/** The places of one project at a worker. */
interface ProjectUse {
  weight: number;
  places: number;
  /** The most places that it held or asked for in this period, and in the one before. */
  wanted: number;
  wantedBefore: number;
}

/**
 * Divides a worker's places among the projects that use them or ask for them, by weight. The reserved places are for
 * projects below their share.
 */
export class ProjectSlots {
  readonly #capacity: number;
  readonly #projects = new Map<string, ProjectUse>();
  /** The sum of the weights of these projects. */
  #weights = 0;
  #periodAt = 0;
  /** The two projects that asked last. */
  #latest = { project: '', at: Number.NEGATIVE_INFINITY };
  #other = { ...this.#latest };

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Number of projects that hold places, or asked for one lately. */
  get size(): number {
    return this.#projects.size;
  }

  /** Records that a project asks for a place. `now` is in milliseconds, as below. */
  asks(project: string, weight: number, now: number): void {
    if (now - this.#periodAt >= claimMs) this.#endPeriod(now);
    this.#see(project, now);
    const use = this.#useOf(project, weight);
    use.wanted = Math.max(use.wanted, use.places + 1);
  }

  /**
   * Returns true if a project that asked for one of the `free` places may not take it. It may take its share. A further
   * place must be neither a reserved one, nor kept for another project that is below its share.
   */
  refuses(project: string, free: number, now: number): boolean {
    const own = this.#projects.get(project);
    if (!own || this.#isAlone(now)) return false;
    const share = this.#shareOf(own);
    if (own.places + 1 <= share + roundingError) return false;
    const reserved = this.#capacity - openSlots(this.#capacity);
    // Part of a place is rounded up, at the cost of the reserved places.
    return free - this.#claimed(own) <= (own.places < share - roundingError ? 0 : reserved);
  }

  /** Adds to the places of a project that asked for one; `change` is 1 or -1. */
  add(project: string, change: number): void {
    const use = this.#projects.get(project);
    if (use) use.places += change;
  }

  #see(project: string, now: number): void {
    if (this.#latest.project !== project) {
      const earlier = this.#other;
      this.#other = this.#latest;
      this.#latest = earlier.project === project ? earlier : { project, at: now };
    }
    this.#latest.at = now;
  }

  #useOf(project: string, weight: number): ProjectUse {
    let use = this.#projects.get(project);
    if (!use) {
      use = { weight: 0, places: 0, wanted: 0, wantedBefore: 0 };
      this.#projects.set(project, use);
    }
    this.#weights += weight - use.weight;
    use.weight = weight;
    return use;
  }

  #shareOf({ weight }: ProjectUse): number {
    return (openSlots(this.#capacity) * weight) / this.#weights;
  }

  /** The places that other projects may still take of their shares, and used or asked for lately. */
  #claimed(own: ProjectUse): number {
    let claimed = 0;
    for (const use of this.#projects.values()) {
      const wanted = Math.max(use.wanted, use.wantedBefore);
      const share = Math.floor(this.#shareOf(use) + roundingError);
      if (use !== own) claimed += Math.max(0, Math.min(wanted, share) - use.places);
    }
    return claimed;
  }

  /** True if the only project has been the only one for a long time. */
  #isAlone(now: number): boolean {
    return this.#projects.size === 1 && now - this.#other.at >= seenMs;
  }

  #endPeriod(now: number): void {
    const missed = now - this.#periodAt >= 2 * claimMs;
    this.#periodAt = now;
    for (const [project, use] of this.#projects) {
      use.wantedBefore = missed ? use.places : use.wanted;
      use.wanted = use.places;
      if (use.wantedBefore > 0) continue;
      this.#projects.delete(project);
      this.#weights -= use.weight;
    }
    if (this.#projects.size === 0) this.#weights = 0;
  }
}

/** Divisor of a worker's memory for bodies that gives one token's share. */
export const bodyPart = 2;

/** The limit that refuses a call: the worker's own, or the token's or project's share of its places, or the token's of its memory for bodies. */
export type Refused = 'full' | 'places' | 'project' | 'bodies';
/** A limit that refuses a call although the worker has room for others. */
export type OverShare = Exclude<Refused, 'full'>;

type Owner = Envelope['token'];

/** The places and bytes that calls use. */
interface Holding {
  places: number;
  /** The bytes of whole bodies. */
  bytes: number;
}

const nothing: Holding = { places: 0, bytes: 0 };

/** Counts the places and the memory for bodies that each token and each project uses at a worker. */
export class Slots {
  readonly capacity: number;
  /** Bytes of whole bodies. */
  readonly #bodyBudget: number;
  #all: Holding = nothing;
  readonly #byToken = new Map<string, Holding>();
  readonly #projects: ProjectSlots;

  constructor(capacity: number, bodyBudget = Number.POSITIVE_INFINITY) {
    this.capacity = capacity;
    this.#bodyBudget = bodyBudget;
    this.#projects = new ProjectSlots(capacity);
  }

  get taken(): number {
    return this.#all.places;
  }

  /** Bytes of whole bodies. */
  get held(): number {
    return this.#all.bytes;
  }

  /** Number of tokens that hold a place. */
  get tokens(): number {
    return this.#byToken.size;
  }

  /**
   * Returns the limit that refuses a call with a body of `bytes`; undefined if there is room. `now` is in milliseconds.
   * The reserved places are not for a token that holds half of the taken places or more. A token that holds no bytes may
   * exceed its share with one body. If no other call is served, a body may exceed the whole budget.
   */
  refuses({ id, project, weight = 1 }: Owner, bytes: number, now: number): Refused | undefined {
    const { places, bytes: held } = this.#all;
    const own = this.#byToken.get(id) ?? nothing;
    this.#projects.asks(project, weight, now);
    if (places >= this.capacity || (places > 0 && held + bytes > this.#bodyBudget)) return 'full';
    if (places >= openSlots(this.capacity) && 2 * own.places >= places) return 'places';
    if (this.#projects.refuses(project, this.capacity - places, now)) return 'project';
    if (bytes > 0 && own.bytes > 0 && (own.bytes + bytes) * bodyPart > this.#bodyBudget) return 'bodies';
    return undefined;
  }

  /** Takes a place that was not refused. */
  take(owner: Owner, bytes: number): void {
    this.#add(owner, { places: 1, bytes });
  }

  release(owner: Owner, bytes: number): void {
    this.#add(owner, { places: -1, bytes: -bytes });
  }

  #add({ id, project }: Owner, change: Holding): void {
    this.#all = sum(this.#all, change);
    this.#projects.add(project, change.places);
    const own = sum(this.#byToken.get(id) ?? nothing, change);
    if (own.places > 0) this.#byToken.set(id, own);
    else this.#byToken.delete(id);
  }
}

function sum(one: Holding, other: Holding): Holding {
  return { places: one.places + other.places, bytes: one.bytes + other.bytes };
}
