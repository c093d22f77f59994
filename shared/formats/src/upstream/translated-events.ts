import type { GenerateEvent } from '@model-gateway/canonical';
import { EventStream, type FormatReader } from './event-stream.ts';
import type { StreamEvent } from './read-json.ts';

/** Translates the events of one format. */
export interface Translation<E> {
  /** @throws GatewayError for a malformed event */
  add(parsed: E, event: StreamEvent): GenerateEvent[];
  /** Returns the rest of the response; the last event is `finish`. @throws GatewayError if it is malformed */
  end(): GenerateEvent[];
}

/** Translates a stream. */
export class TranslatedEvents<E> extends EventStream<E> {
  readonly #translation: Translation<E>;
  #events: GenerateEvent[] = [];

  constructor(reader: FormatReader<E>, translation: Translation<E>) {
    super(reader);
    this.#translation = translation;
  }

  protected add(event: StreamEvent, parsed: E | undefined): void {
    const events = parsed === undefined ? [] : this.#translation.add(parsed, event);
    for (const each of events) this.#events.push(each);
  }

  protected take(): GenerateEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  protected completed(): GenerateEvent[] {
    return [];
  }

  protected finish(): GenerateEvent[] {
    return this.#translation.end();
  }
}
