import { acceptMs } from './protocol.ts';

/** Items by the ids of openings that have ended, for as long as a worker's frames of them may still come. */
export class RecentIds<Item> {
  #recent = new Map<number, Item>();
  #older = new Map<number, Item>();
  #turnedAt = 0;

  add(id: number, item: Item): void {
    this.#recent.set(id, item);
  }

  /** Removes an item and returns it; undefined if it is not there. */
  take(id: number): Item | undefined {
    const item = this.#recent.get(id) ?? this.#older.get(id);
    this.#recent.delete(id);
    this.#older.delete(id);
    return item;
  }

  /** Forgets the items that are too old, and returns them. `now`: in milliseconds since 1970. */
  forget(now: number): Iterable<Item> {
    if (now - this.#turnedAt < 2 * acceptMs) return [];
    const forgotten = this.#older.values();
    this.#turnedAt = now;
    this.#older = this.#recent;
    this.#recent = new Map();
    return forgotten;
  }
}
