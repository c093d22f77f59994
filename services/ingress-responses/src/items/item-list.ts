import { listSpans, topLevelSpans } from '@model-gateway/json';
import { type ItemText, itemText } from './item-text.ts';

/** The stored items of a turn, of which only those that are asked for are read. */
export class ItemList {
  readonly #places: readonly ItemPlace[];
  readonly #slice: (from: number, to: number) => Promise<Buffer>;

  /** `slice` reads the bytes from `from` up to `to`, by which `places` are counted. */
  constructor(places: readonly ItemPlace[], slice: (from: number, to: number) => Promise<Buffer>) {
    this.#places = places;
    this.#slice = slice;
  }

  /** Returns the list of items that were read already and are joined by commas. */
  static of(items: string): ItemList {
    const bytes = Buffer.from(items);
    return new ItemList(itemPlaces(bytes), async (from, to) => bytes.subarray(from, to));
  }

  get count(): number {
    return this.#places.length;
  }

  /** Reads the items from `from` up to `to`. */
  async read(from: number, to: number): Promise<ItemText[]> {
    const places = this.#places.slice(from, to);
    const [first, last] = [places[0], places.at(-1)];
    if (!first || !last) return [];
    const [start] = first;
    const bytes = await this.#slice(start, last[1]);
    return places.map(([from, to]) => itemText(bytes.toString('utf8', from - start, to - start)));
  }

  /** True if the item at a place has no id of its own. */
  isUnnamed(place: number): boolean {
    return this.#places[place]?.[2] === null;
  }

  /** Finds the place of the item with an id of its own; undefined if there is none. */
  async find(id: string): Promise<number | undefined> {
    const short = shortId(id);
    for (const [place, [, , known]] of this.#places.entries()) {
      if (known !== short) continue;
      if (known === id || (await this.read(place, place + 1))[0]?.id === id) return place;
    }
    return undefined;
  }
}

/** The place of an item in its section, in bytes, and its id, which is cut to {@link idCharacters}; null for none. */
export type ItemPlace = readonly [from: number, to: number, id: string | null];

/** The characters of an id that its place holds: ids that the gateway makes are shorter. */
const idCharacters = 64;

/** Finds the items in a list that is joined by commas. */
export function itemPlaces(items: Buffer): ItemPlace[] {
  const text = items.toString('latin1');
  return listSpans(text).map(
    ({ start, end }) => [start, end, shortId(idOf(text.slice(start, end)))] as const,
  );
}

/** Returns the id as its place would hold it. */
export function shortId(id: string | undefined): string | null {
  return id === undefined ? null : id.slice(0, idCharacters);
}

/** Returns the id of an item in JSON that was decoded as latin1. */
function idOf(item: string): string | undefined {
  if (!item.startsWith('{')) return undefined;
  const span = topLevelSpans(item).find(({ key }) => key === 'id');
  if (!span) return undefined;
  const text = Buffer.from(item.slice(span.valueStart, span.valueEnd), 'latin1').toString();
  return text.startsWith('"') ? JSON.parse(text) : undefined;
}
