import { badRequest } from '../openai-error.ts';
import type { GivenItem } from './request.ts';

/** A part of a message. Events do not show `audioMs` and `spoken`. */
export interface Part {
  type: 'input_text' | 'input_audio' | 'input_image' | 'output_text' | 'output_audio';
  text?: string;
  transcript?: string | null;
  image_url?: string;
  /** The length of its audio. */
  audioMs?: number;
  /** The words in its audio, even if no transcript was asked for. */
  spoken?: string;
}

export interface Item {
  id: string;
  type: 'message' | 'function_call' | 'function_call_output';
  status: 'completed' | 'incomplete' | 'in_progress';
  role?: 'user' | 'assistant' | 'system';
  content?: Part[];
  name?: string;
  call_id?: string;
  arguments?: string;
  output?: string;
}

const maxItems = 1_000;

/** The items of a session, in order. Above 1000 items, the oldest are dropped. */
export class Conversation {
  #items: Item[] = [];

  get items(): readonly Item[] {
    return this.#items;
  }

  get last(): Item | undefined {
    return this.#items.at(-1);
  }

  /**
   * Adds an item after another one, at the start for `root`, else at the end. Returns the id of the item before it.
   * @throws ApiError
   */
  add(item: Item, after?: string | null): string | null {
    if (this.#items.some(({ id }) => id === item.id))
      throw badRequest(
        `Item with item_id already exists: '${item.id}'.`,
        'item_id_already_exists',
        'item.id',
      );
    const at = this.#placeAfter(after);
    this.#items.splice(at, 0, item);
    const before = this.#items[at - 1]?.id ?? null;
    if (this.#items.length > maxItems) this.#items.shift();
    return before;
  }

  /** @throws ApiError if there is no such item */
  find(id: string, action: 'retrieve' | 'delete'): Item {
    const item = this.#items.find(one => one.id === id);
    if (item) return item;
    throw badRequest(
      `Error with item ${action}: the item with id '${id}' does not exist.`,
      `item_${action}_invalid_item_id`,
      'item_id',
    );
  }

  remove(item: Item): void {
    this.#items = this.#items.filter(one => one !== item);
  }

  #placeAfter(after: string | null | undefined): number {
    if (after === 'root') return 0;
    if (!after) return this.#items.length;
    const at = this.#items.findIndex(({ id }) => id === after);
    if (at >= 0) return at + 1;
    throw badRequest(`Previous item with id '${after}' not found.`, 'invalid_value', 'previous_item_id');
  }
}

/** An item as events show it. */
export function shown({ content, ...item }: Item) {
  const parts = content?.map(({ audioMs: _ms, spoken: _spoken, ...part }) => part);
  return { object: 'realtime.item' as const, ...item, ...(parts && { content: parts }) };
}

/** The item that a client gave. `hear` tells what is said in audio. */
export function itemOf(given: GivenItem, id: string, hear: (bytes: number) => Partial<Part>): Item {
  const { object: _object, status: _status, ...fields } = given;
  const common = { ...fields, id: given.id ?? id, status: 'completed' as const };
  if (common.type === 'function_call') return { ...common, call_id: common.call_id ?? `call_${id}` };
  if (common.type === 'function_call_output') return common;
  const content = common.content.map((part): Part => {
    if (part.type === 'input_image') return { type: part.type, image_url: part.image_url };
    if (part.type !== 'input_audio') return part;
    const { type, audio, transcript = null } = part;
    return { type, transcript, ...hear(Buffer.byteLength(audio, 'base64')) };
  });
  return { ...common, content };
}
