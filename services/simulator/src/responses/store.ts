import type { Item } from './item.ts';

const mostResponses = 1_000;

/** Remembers the last thousand responses that were not asked to be forgotten. */
export class Store {
  readonly #responses = new Map<string, Item[]>();
  readonly #items = new Map<string, Item>();

  /** Keeps a response with all that led to it; only its own output can be referred to item by item. */
  keep(id: string, input: Item[], output: Item[]): void {
    this.#responses.set(id, [...input, ...output]);
    for (const item of output)
      if ('id' in item && typeof item.id === 'string') this.#items.set(item.id, item);
    if (this.#responses.size <= mostResponses) return;
    for (const oldest of this.#responses.keys().take(1)) this.#forget(oldest);
  }

  /** All that was said up to the end of a response. */
  response(id: string): Item[] | undefined {
    return this.#responses.get(id);
  }

  item(id: string): Item | undefined {
    return this.#items.get(id);
  }

  #forget(id: string): void {
    for (const item of this.#responses.get(id) ?? [])
      if ('id' in item && typeof item.id === 'string') this.#items.delete(item.id);
    this.#responses.delete(id);
  }
}
