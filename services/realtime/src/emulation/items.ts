import { invalid } from './check.ts';
import { audioBytes, type Item, sizeOf } from './item.ts';
import { SessionMemory } from './session-memory.ts';

/** The most memory of a conversation, in bytes. */
export const maxBytes = 24 * 1024 * 1024;
/** The most audio in a conversation, in bytes; the oldest audio beyond it is dropped. */
export const maxAudio = 8 * 1024 * 1024;

/** A conversation: items in order, with unique ids. */
export class Items {
  readonly #items: Item[] = [];
  readonly #byId = new Map<string, Item>();
  readonly #sizes = new Map<Item, number>();
  /** Number of the function calls with an id. */
  readonly #calls = new Map<string, number>();
  /** The items with audio, the oldest first. */
  readonly #withAudio = new Set<Item>();
  readonly #memory: SessionMemory;
  #bytes = 0;
  #audio = 0;

  constructor(memory = new SessionMemory()) {
    this.#memory = memory;
  }

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
    return this.#calls.has(callId);
  }

  /** Returns the memory of an item in bytes, without its audio. */
  sizeOf(item: Item): number {
    return this.#sizes.get(item) ?? sizeOf(item);
  }

  /** Reserves an item's memory. @throws GatewayError if it cannot be added */
  check(item: Item, previous: string | undefined): void {
    if (previous !== undefined && previous !== 'root') this.get(previous, 'previous_item_id');
    const { id } = item.object;
    if (this.#byId.has(id))
      throw invalid('item.id', `The item '${id}' exists already.`, 'item_already_exists');
    const size = sizeOf(item);
    this.checkRoom(size);
    this.#memory.set('items', this.#bytes + size);
  }

  /** @throws GatewayError of kind `invalid-request` if there is no room for `bytes` more */
  checkRoom(bytes = 0): void {
    if (this.#bytes + bytes > maxBytes)
      throw invalid(null, 'The conversation is too large: delete items first.', 'conversation_too_large');
  }

  /** Checks the bytes of the items of one response, each as often as it is named. @throws GatewayError of kind `invalid-request` */
  checkInput(bytes: number): void {
    if (bytes <= maxBytes) return;
    const message = `The items of 'response.input' are larger than ${maxBytes / 2 ** 20} MiB in memory, each counted as often as it is named.`;
    throw invalid('response.input', message, 'input_too_large');
  }

  /** Inserts an item after `previous` (undefined: last, `root`: first); returns the id of the item before. */
  insert(item: Item, previous?: string): string | null {
    const at = previous === undefined ? this.#items.length : this.#placeAfter(previous);
    const { object } = item;
    if (at === this.#items.length) this.#items.push(item);
    else this.#items.splice(at, 0, item);
    this.#byId.set(object.id, item);
    if (object.type === 'function_call') this.#countCall(object.call_id, 1);
    this.measure(item);
    return this.#items[at - 1]?.object.id ?? null;
  }

  /** Updates the size of a changed item. */
  measure(item: Item): void {
    if (this.#byId.get(item.object.id) !== item) return;
    const size = sizeOf(item);
    this.#bytes += size - (this.#sizes.get(item) ?? 0);
    this.#sizes.set(item, size);
    this.#memory.note('items', this.#bytes);
  }

  /** Stores a user's audio, dropping the oldest audio if there is no room in the conversation or in the token's share. */
  keepAudio(item: Item, audio: NonNullable<Item['audio']>): void {
    if (this.#byId.get(item.object.id) !== item) return;
    item.audio = audio;
    this.#audio += audioBytes(item);
    this.#withAudio.add(item);
    for (const old of this.#withAudio) {
      if (this.#audio <= maxAudio && this.#hasMemory()) return;
      this.#dropAudio(old);
    }
  }

  remove(item: Item): void {
    const { object } = item;
    this.#dropAudio(item);
    this.#items.splice(this.#items.indexOf(item), 1);
    this.#byId.delete(object.id);
    if (object.type === 'function_call') this.#countCall(object.call_id, -1);
    this.#bytes -= this.#sizes.get(item) ?? 0;
    this.#sizes.delete(item);
    this.#memory.note('items', this.#bytes);
  }

  #placeAfter(previous: string): number {
    const item = this.#byId.get(previous);
    return item ? this.#items.indexOf(item) + 1 : 0;
  }

  #countCall(id: string, change: 1 | -1): void {
    const count = (this.#calls.get(id) ?? 0) + change;
    if (count > 0) this.#calls.set(id, count);
    else this.#calls.delete(id);
  }

  #hasMemory(): boolean {
    try {
      this.#memory.set('audio', this.#audio);
      return true;
    } catch {
      return false;
    }
  }

  #dropAudio(item: Item): void {
    this.#audio -= audioBytes(item);
    delete item.audio;
    this.#withAudio.delete(item);
    this.#memory.note('audio', this.#audio);
  }
}
