/**
 * Numbers things from 0 in the order in which they appear, as clients do, if the upstream counts from another number. From 0 its own
 * numbers count.
 */
export class Appearance {
  #places: Map<number, number> | undefined;
  #isOwn = false;

  /** Returns the place of the thing with an upstream's number. */
  of(number: number): number {
    if (this.#isOwn) return number;
    if (!this.#places) {
      this.#isOwn = number === 0;
      if (this.#isOwn) return number;
      this.#places = new Map();
    }
    const place = this.#places.get(number) ?? this.#places.size;
    this.#places.set(number, place);
    return place;
  }
}
