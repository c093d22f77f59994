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
