import { createParser, type EventSourceMessage } from 'eventsource-parser';

export type SseEvent = EventSourceMessage;

/** Reads whole events, as {@link EventSplitter} cuts them, into their fields; comments are left out. */
export class EventReader {
  #events: SseEvent[] = [];
  readonly #parser = createParser({ onEvent: event => this.#events.push(event) });

  read(whole: Buffer): SseEvent[] {
    if (whole.length === 0) return [];
    this.#events = [];
    this.#parser.feed(whole.toString('utf8'));
    return this.#events;
  }
}

/** Each event of a text on its own, byte for byte, the empty line after it included. */
export function splitEvents(whole: string): string[] {
  return whole.match(/[\s\S]*?\n(?:\r?\n)+/g) ?? [];
}
