import type { Edit } from '@model-gateway/json';
import { editEvent } from '../upstream/loose-events.ts';
import type { StreamEvent } from '../upstream/read-json.ts';
import { inventedCallId } from '../upstream/tools.ts';
import type { MessagesStreamEvent } from './upstream-answer.ts';

/**
 * Mends the events of blocks that are passed on. Clients number blocks in the order in which they start, whatever the indexes of the
 * upstream say, and need an id of each call.
 */
export class BlockMender {
  readonly #seed: string;
  /** The places of blocks by the upstream's indexes. */
  readonly #places = new Map<number, number>();
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Edits an event if it has to; returns true if it did. */
  mends(source: StreamEvent, event: MessagesStreamEvent): boolean {
    switch (event.type) {
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop':
        return this.#edits(source, event);
      default:
        return false;
    }
  }

  #edits(source: StreamEvent, event: Extract<MessagesStreamEvent, { index?: unknown }>): boolean {
    const edits = new Map<string, Edit>();
    const place = this.#placeOf(event);
    if (place !== event.index) edits.set('index', String(place));
    if (event.type === 'content_block_start') {
      const { type, id } = event.content_block;
      const isNameless = type === 'tool_use' && !id;
      if (isNameless)
        edits.set(
          'content_block',
          JSON.stringify({ ...event.content_block, id: inventedCallId(this.#seed, place) }),
        );
    }
    if (edits.size > 0) editEvent(source, edits);
    return edits.size > 0;
  }

  #placeOf({ type, index }: Extract<MessagesStreamEvent, { index?: unknown }>): number {
    if (type !== 'content_block_start')
      return this.#places.get(index ?? this.#count - 1) ?? Math.max(0, this.#count - 1);
    const place = this.#count++;
    this.#places.set(index ?? place, place);
    return place;
  }
}
