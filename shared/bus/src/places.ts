/** Divisor of a worker's places that gives those reserved for tokens with less than half of the taken places. */
const reservedPart = 5;
/** Divisor of a worker's memory for bodies that gives one token's share. */
export const bodyPart = 2;

/** Returns the number of a worker's places that are not reserved. */
export function openPlaces(capacity: number): number {
  return capacity - Math.floor(capacity / reservedPart);
}

/** The limit that refuses a call: the worker's own, or the token's share of its places or of its memory for bodies. */
export type Refused = 'full' | 'places' | 'bodies';

/** The places and bytes that calls use. */
interface Holding {
  places: number;
  /** The bytes of whole bodies. */
  bytes: number;
}

const nothing: Holding = { places: 0, bytes: 0 };

/** Counts the places and the memory for bodies that each token uses at a worker. */
export class Places {
  readonly capacity: number;
  /** Bytes of whole bodies. */
  readonly #bodyBudget: number;
  #all: Holding = nothing;
  readonly #byToken = new Map<string, Holding>();

  constructor(capacity: number, bodyBudget = Number.POSITIVE_INFINITY) {
    this.capacity = capacity;
    this.#bodyBudget = bodyBudget;
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
   * Returns the limit that refuses a token's call with a body of `bytes`; undefined if there is room. The reserved
   * places are not for a token that holds half of the taken places or more. A token that holds no bytes may exceed its
   * share with one body. If no other call is served, a body may exceed the whole budget.
   */
  refuses(tokenId: string, bytes: number): Refused | undefined {
    const { places, bytes: held } = this.#all;
    const own = this.#byToken.get(tokenId) ?? nothing;
    if (places >= this.capacity || (places > 0 && held + bytes > this.#bodyBudget)) return 'full';
    if (places >= openPlaces(this.capacity) && 2 * own.places >= places) return 'places';
    if (bytes > 0 && own.bytes > 0 && (own.bytes + bytes) * bodyPart > this.#bodyBudget) return 'bodies';
    return undefined;
  }

  take(tokenId: string, bytes: number): void {
    this.#add(tokenId, { places: 1, bytes });
  }

  release(tokenId: string, bytes: number): void {
    this.#add(tokenId, { places: -1, bytes: -bytes });
  }

  #add(tokenId: string, change: Holding): void {
    this.#all = sum(this.#all, change);
    const own = sum(this.#byToken.get(tokenId) ?? nothing, change);
    if (own.places > 0) this.#byToken.set(tokenId, own);
    else this.#byToken.delete(tokenId);
  }
}

function sum(one: Holding, other: Holding): Holding {
  return { places: one.places + other.places, bytes: one.bytes + other.bytes };
}
