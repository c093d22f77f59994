import { dataJson } from '@model-gateway/sse';
import type { ResponsesOutputItem as Item, ResponsesItemStatus } from './answer.ts';
import { itemId } from './ids.ts';
import type { Frame } from './writer.ts';

/**
 * The items of one output, one open at a time. An item is closed when the next one opens or the response
 * ends: only then is its status known.
 */
export class Items {
  /** The closed items. */
  readonly done: Item[] = [];
  readonly requestId: string;
  readonly #frame: Frame;
  #open: Item | undefined;
  /** The id of the open item, as JSON. */
  #openId = '';

  constructor(requestId: string, frame: Frame) {
    this.requestId = requestId;
    this.#frame = frame;
  }

  /** The open item, if it is a message. */
  get message(): Extract<Item, { type: 'message' }> | undefined {
    return this.#open?.type === 'message' ? this.#open : undefined;
  }

  /** Closes the open item and opens `item`. The fields in `later` are omitted from its first event. */
  open<T extends Item>(item: T, later: Partial<T> = {}): string {
    const before = this.close('completed');
    this.#open = Object.assign(item, later);
    this.#openId = JSON.stringify(item.id);
    const begun = { ...item };
    for (const field of Object.keys(later)) delete (begun as Record<string, unknown>)[field];
    const output_index = this.done.length;
    return before + this.#frame('response.output_item.added', { output_index, item: begun });
  }

  /** Closes the open item. */
  close(status: ResponsesItemStatus): string {
    const item = this.#open;
    if (!item) return '';
    this.#open = undefined;
    const output_index = this.done.length;
    const ended = 'status' in item && item.type !== 'image_generation_call' ? { ...item, status } : item;
    this.done.push(ended);
    return this.#frame('response.output_item.done', { output_index, item: ended });
  }

  /** Writes an event of the open item. */
  event(name: string, fields: Record<string, unknown>): string {
    const place = { item_id: this.#open?.id, output_index: this.done.length };
    return this.#frame(`response.${name}`, { ...place, ...fields });
  }

  /** Writes a text that is added to the open item. Most events of a stream are such ones: they make no object. */
  delta(name: string, text: string, place = '', more = ''): string {
    const item = `"item_id":${this.#openId},"output_index":${this.done.length}`;
    return this.#frame(`response.${name}`, `${item}${place},"delta":${dataJson(text)}${more}`);
  }

  /** Returns the id of the item that is opened next. */
  nextId(type: Item['type']): string {
    return itemId(type, this.requestId, this.done.length + (this.#open ? 1 : 0));
  }
}
