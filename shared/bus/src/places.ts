/** The part of a worker's places that is kept for tokens which hold less than half of those taken. */
const reservedPart = 5;

/** How many of a worker's places any token may take. */
export function openPlaces(capacity: number): number {
  return capacity - Math.floor(capacity / reservedPart);
}

/** The places of a worker: how many calls it serves at once, and of which tokens. */
export class Places {
  readonly capacity: number;
  #taken = 0;
  readonly #byToken = new Map<string, number>();

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get taken(): number {
    return this.#taken;
  }

  /** How many tokens hold any. */
  get tokens(): number {
    return this.#byToken.size;
  }

  /** There is none left for anybody. */
  get full(): boolean {
    return this.#taken >= this.capacity;
  }

  /** The places that are left are not for this token, which holds half of those taken or more. */
  keptFrom(tokenId: string): boolean {
    return this.#taken >= openPlaces(this.capacity) && 2 * this.#heldBy(tokenId) >= this.#taken;
  }

  take(tokenId: string): void {
    this.#taken++;
    this.#byToken.set(tokenId, this.#heldBy(tokenId) + 1);
  }

  giveBack(tokenId: string): void {
    this.#taken--;
    const left = this.#heldBy(tokenId) - 1;
    if (left > 0) this.#byToken.set(tokenId, left);
    else this.#byToken.delete(tokenId);
  }

  #heldBy(tokenId: string): number {
    return this.#byToken.get(tokenId) ?? 0;
  }
}
