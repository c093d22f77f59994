import { invalid } from './check.ts';
import { audioBytes, type Item, sizeOf } from './item.ts';

/** The most memory of a conversation, in bytes. */
export const maxBytes = 24 * 1024 * 1024;
/** The most audio in a conversation, in bytes; the oldest audio beyond it is dropped. */
export const maxAudio = 8 * 1024 * 1024;

/** A conversation: items in order, with unique ids. */
export class Items {
  readonly #items: Item[] = [];
  readonly #byId = new Map<string, Item>();
  readonly #sizes = new Map<Item, number>();
  #bytes = 0;
  #audio = 0;

  /** Returns a copy of the current list. */
  all(): Item[] {
    return [...this.#items];
  }

  /** @throws GatewayError of kind `invalid-request` */
  get(id: string, param: string): Item {
    const item = this.#byId.get(id);
    if (!item) throw invalid(param, `The item '${id}' does not exist.`, 'item_not_found');
    return item;
  }

  hasCall(callId: string): boolean {
    return this.#items.some(({ object }) => object.type === 'function_call' && object.call_id === callId);
  }

  /** @throws GatewayError of kind `invalid-request` if an item cannot be added */
  check(item: Item, previous: string | undefined): void {
    if (previous !== undefined && previous !== 'root') this.get(previous, 'previous_item_id');
    const { id } = item.object;
    if (this.#byId.has(id))
      throw invalid('item.id', `The item '${id}' exists already.`, 'item_already_exists');
    this.checkRoom(sizeOf(item));
  }

  /** @throws GatewayError of kind `invalid-request` if there is no room for `bytes` more */
  checkRoom(bytes = 0): void {
    if (this.#bytes + bytes > maxBytes)
      throw invalid(null, 'The conversation is too large: delete items first.', 'conversation_too_large');
  }

  /** Inserts an item after `previous` (undefined: last, `root`: first); returns the id of the item before. */
  insert(item: Item, previous?: string): string | null {
    const at =
      previous === undefined
        ? this.#items.length
        : this.#items.findIndex(({ object }) => object.id === previous) + 1;
    this.#items.splice(at, 0, item);
    this.#byId.set(item.object.id, item);
    this.measure(item);
    return this.#items[at - 1]?.object.id ?? null;
  }

  /** Updates the size of a changed item. */
  measure(item: Item): void {
    if (this.#byId.get(item.object.id) !== item) return;
    const size = sizeOf(item);
    this.#bytes += size - (this.#sizes.get(item) ?? 0);
    this.#sizes.set(item, size);
  }

  /** Stores a user's audio, dropping the oldest audio if there is no room. */
  keepAudio(item: Item, audio: NonNullable<Item['audio']>): void {
    if (this.#byId.get(item.object.id) !== item) return;
    item.audio = audio;
    this.#audio += audioBytes(item);
    for (const old of this.#items) {
      if (this.#audio <= maxAudio) return;
      this.#dropAudio(old);
    }
  }

  remove(item: Item): void {
    this.#dropAudio(item);
    this.#items.splice(this.#items.indexOf(item), 1);
    this.#byId.delete(item.object.id);
    this.#bytes -= this.#sizes.get(item) ?? 0;
    this.#sizes.delete(item);
  }

  #dropAudio(item: Item): void {
    this.#audio -= audioBytes(item);
    delete item.audio;
  }
}
