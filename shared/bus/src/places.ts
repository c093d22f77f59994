/** The part of a worker's places that is kept for tokens which hold less than half of those taken. */
const reservedPart = 5;
/** The part of a worker's room for bodies that one token may fill. */
export const bodyPart = 2;

/** The number of a worker's places that any token may take. */
export function openPlaces(capacity: number): number {
  return capacity - Math.floor(capacity / reservedPart);
}

/** The thing that has no room for a call: the worker, or its token's share of the worker's places or of its room for bodies. */
export type Refused = 'full' | 'places' | 'bodies';

/** The part of a worker that a token has. */
interface Holding {
  places: number;
  /** The bytes of whole bodies. */
  bytes: number;
}

const nothing: Holding = { places: 0, bytes: 0 };

/** The places of a worker, and its room for bodies: how many calls it serves at once, and of which tokens. */
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

  /** The number of tokens that hold any. */
  get tokens(): number {
    return this.#byToken.size;
  }

  /**
   * Says why there is no room for a token's call with a body of so many bytes; undefined where there is some. The last places are
   * not for a token that holds half of those taken or more. One that holds no bytes may bring a body larger than its share, and one
   * that comes while nothing else is served a body larger than all of the room.
   */
  refuses(tokenId: string, bytes: number): Refused | undefined {
    const { places, bytes: held } = this.#all;
    const mine = this.#byToken.get(tokenId) ?? nothing;
    if (places >= this.capacity || (places > 0 && held + bytes > this.#bodyBudget)) return 'full';
    if (places >= openPlaces(this.capacity) && 2 * mine.places >= places) return 'places';
    if (bytes > 0 && mine.bytes > 0 && (mine.bytes + bytes) * bodyPart > this.#bodyBudget) return 'bodies';
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
    const mine = sum(this.#byToken.get(tokenId) ?? nothing, change);
    if (mine.places > 0) this.#byToken.set(tokenId, mine);
    else this.#byToken.delete(tokenId);
  }
}

function sum(one: Holding, other: Holding): Holding {
  return { places: one.places + other.places, bytes: one.bytes + other.bytes };
}
