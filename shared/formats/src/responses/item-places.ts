import type { Edit } from '@model-gateway/json';
import { Appearance, editEvent } from '../upstream/loose-events.ts';
import type { StreamEvent } from '../upstream/read-json.ts';

/** An event of a stream that belongs to an item. */
interface ItemEvent {
  type: string;
  output_index?: unknown;
  item_id?: unknown;
  item?: unknown;
}

/**
 * The places of a stream's items in the response. Some servers, such as llama.cpp's, send no `output_index`: the place is then that of the item
 * with the event's id or, for an event without an id that was seen before, that of the latest item.
 */
export class ItemPlaces {
  readonly #byId = new Map<string, number>();
  #next = 0;

  /** Returns the place of the event's item. */
  of({ type, output_index: given, item_id, item }: ItemEvent): number {
    const { id: ownId, call_id } = Object(item) as { id?: unknown; call_id?: unknown };
    const ids = [item_id, ownId, call_id].filter(id => typeof id === 'string');
    const known = ids.map(id => this.#byId.get(id)).find(place => place !== undefined);
    const latest = Math.max(0, this.#next - 1);
    const inferred = known ?? (type === 'response.output_item.added' ? this.#next : latest);
    const place = typeof given === 'number' ? given : inferred;
    for (const id of ids) this.#byId.set(id, place);
    this.#next = Math.max(this.#next, place + 1);
    return place;
  }
}

/** Mends the events of items that are passed on. Clients number items from 0, and know an item by the id with which it was added. */
export class ItemMender {
  readonly #appearance = new Appearance();
  readonly #ids = new Map<number, string>();

  /** Edits an event if it has to. */
  mend(source: StreamEvent, { type, output_index: index, item_id: told, item }: ItemEvent): void {
    if (typeof index !== 'number') return;
    const place = this.#appearance.of(index);
    const { id } = Object(item) as { id?: unknown };
    if (type === 'response.output_item.added' && typeof id === 'string') this.#ids.set(place, id);
    const known = this.#ids.get(place);
    const isOther = known !== undefined && typeof told === 'string' && told !== known;
    if (place === index && !isOther) return;
    const edits = new Map<string, Edit>([['output_index', String(place)]]);
    if (isOther) edits.set('item_id', JSON.stringify(known));
    editEvent(source, edits);
  }
}
