import type { Envelope } from '@model-gateway/canonical';
import { openPlaces, ProjectPlaces } from './project-places.ts';

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
export class Places {
  readonly capacity: number;
  /** Bytes of whole bodies. */
  readonly #bodyBudget: number;
  #all: Holding = nothing;
  readonly #byToken = new Map<string, Holding>();
  readonly #projects: ProjectPlaces;

  constructor(capacity: number, bodyBudget = Number.POSITIVE_INFINITY) {
    this.capacity = capacity;
    this.#bodyBudget = bodyBudget;
    this.#projects = new ProjectPlaces(capacity);
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
    if (places >= openPlaces(this.capacity) && 2 * own.places >= places) return 'places';
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
