/**
 * Items that come and go often, such as the open requests of a process. A `Set` or `Map` would keep ended ones for long: V8
 * links each of its tables that grew full to the next one, so once a table is in the old generation, everything that the later
 * tables held lives until the next full collection.
 */
export class Slab<Item> {
  readonly #items: (Item | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Returns the place of the item, which belongs to it until it is removed. */
  add(item: Item): number {
    const place = this.#free.pop() ?? this.#items.length;
    this.#items[place] = item;
    return place;
  }

  /** Removes an item from its place; does nothing if it is not there. */
  remove(place: number, item: Item): void {
    if (this.#items[place] !== item) return;
    this.#items[place] = undefined;
    this.#free.push(place);
  }

  /** Yields the items in no order. An item that is added meanwhile may be left out. */
  *[Symbol.iterator](): Generator<Item, void> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}

/** Items that come and go often, by ids that others have given them, such as a request's id. See `Slab` for what a `Map` would keep. */
export class ItemsById<Id extends number | string, Item> {
  readonly #items: Record<Id, Item | undefined> = Object.create(null);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: Id): Item | undefined {
    return this.#items[id];
  }

  /** Adds an item, in place of an earlier one with its id. */
  set(id: Id, item: Item): void {
    if (this.#items[id] === undefined) this.#size++;
    this.#items[id] = item;
  }

  /** Returns false if there was no item with the id. */
  delete(id: Id): boolean {
    if (this.#items[id] === undefined) return false;
    delete this.#items[id];
    this.#size--;
    return true;
  }

  values(): Item[] {
    return Object.values(this.#items);
  }
}

/** The places of a slab by id that has held nothing yet. */
const firstSize = 64;

/** A slab whose items have ids that are not used again soon, such as calls whose answers may come late. */
export class SlabById<Item> {
  /** An item's place is the lowest bits of its id, which no other item shares. */
  #items: (Item | undefined)[] = new Array(firstSize).fill(undefined);
  #ids = new Uint32Array(firstSize);
  #count = 0;
  #last = 0;

  /** Returns the item's id: the next number whose place is free, from 1 to 2^32 - 1. */
  add(item: Item): number {
    this.#count++;
    if (2 * this.#count > this.#items.length) this.#grow();
    do this.#last = (this.#last + 1) >>> 0 || 1;
    while (this.#items[this.#place(this.#last)]);
    this.#put(this.#last, item);
    return this.#last;
  }

  get(id: number): Item | undefined {
    const place = this.#place(id);
    return this.#ids[place] === id ? this.#items[place] : undefined;
  }

  remove(id: number): void {
    if (!this.get(id)) return;
    this.#items[this.#place(id)] = undefined;
    this.#count--;
  }

  /** Doubles the places. Ids whose lowest bits differ also differ in one bit more. */
  #grow(): void {
    const items = this.#items;
    const ids = this.#ids;
    this.#items = new Array(2 * items.length).fill(undefined);
    this.#ids = new Uint32Array(2 * items.length);
    for (const [place, item] of items.entries()) if (item) this.#put(ids[place] as number, item);
  }

  #put(id: number, item: Item): void {
    this.#items[this.#place(id)] = item;
    this.#ids[this.#place(id)] = id;
  }

  #place(id: number): number {
    return id & (this.#items.length - 1);
  }
}

/**
 * Returns a short list with one more item, and without its first one if it has `most` already. An array that grows by `push` gets room for
 * 17 items, which each open stream would hold.
 */
export function appended<Item extends object>(
  items: readonly Item[],
  item: Item,
  most = Number.POSITIVE_INFINITY,
): Item[] {
  return (items.length < most ? items : items.slice(1)).concat(item);
}
