import type { ResponsesItemStatus, ResponsesOutputItem } from '@model-gateway/wire';
import type { Frame } from '../frame.ts';
import { itemId } from '../ids.ts';

type Item = ResponsesOutputItem;

/**
 * The items of one output, one open at a time. The end of each waits for the next one, or for the answer's: only then is it
 * known whether it was cut off.
 */
export class Items {
  /** Those that are over. */
  readonly done: Item[] = [];
  readonly requestId: string;
  readonly #frame: Frame;
  #open: Item | undefined;

  constructor(requestId: string, frame: Frame) {
    this.requestId = requestId;
    this.#frame = frame;
  }

  /** The message that is open, if the last item is one. */
  get message(): Extract<Item, { type: 'message' }> | undefined {
    return this.#open?.type === 'message' ? this.#open : undefined;
  }

  /** Ends the item before, and shows the new one as it begins, without what of it is given in `later`. */
  open<T extends Item>(item: T, later: Partial<T> = {}): string {
    const before = this.close('completed');
    this.#open = Object.assign(item, later);
    const begun = { ...item };
    for (const field of Object.keys(later)) delete (begun as Record<string, unknown>)[field];
    const output_index = this.done.length;
    return before + this.#frame('response.output_item.added', { output_index, item: begun });
  }

  /** Ends the open item. */
  close(status: ResponsesItemStatus): string {
    const item = this.#open;
    if (!item) return '';
    this.#open = undefined;
    const output_index = this.done.length;
    const ended = 'status' in item && item.type !== 'image_generation_call' ? { ...item, status } : item;
    this.done.push(ended);
    return this.#frame('response.output_item.done', { output_index, item: ended });
  }

  /** An event about the open item. */
  event(name: string, fields: Record<string, unknown>): string {
    const place = { item_id: this.#open?.id, output_index: this.done.length };
    return this.#frame(`response.${name}`, { ...place, ...fields });
  }

  /** An id for the item that is opened next. */
  nextId(type: Item['type']): string {
    return itemId(type, this.requestId, this.done.length + (this.#open ? 1 : 0));
  }
}
