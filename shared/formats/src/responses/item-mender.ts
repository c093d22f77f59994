import type { Edit } from '@model-gateway/json';
import { Appearance } from '../upstream/appearance.ts';
import { editEvent } from '../upstream/loose-events.ts';
import type { StreamEvent } from '../upstream/read-json.ts';

/** The fields of an event of an item. */
interface ItemEvent {
  type: string;
  output_index?: unknown;
  item_id?: unknown;
  item?: unknown;
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
