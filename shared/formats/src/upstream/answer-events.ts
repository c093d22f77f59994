import type { GenerateEvent } from '@model-gateway/canonical';
import type { SseEvent } from '@model-gateway/sse';
import type { FormatReader, Translation } from './event-stream.ts';
import { isDone } from './loose-events.ts';
import type { StreamEvent } from './read-json.ts';

/** Records the events of a stream, without its bytes. */
interface EventNotes<E> extends Pick<FormatReader<E>, 'complete' | 'ended'> {
  /** @throws GatewayError for a malformed event or one that holds an error */
  note(event: StreamEvent): E | undefined;
}

/** Translates the events of a stream for a program that splits it into events itself, such as a page. */
export class AnswerEvents<E> {
  readonly #notes: EventNotes<E>;
  readonly #translation: Translation<E>;
  #marked = false;

  constructor(notes: EventNotes<E>, translation: Translation<E>) {
    this.#notes = notes;
    this.#translation = translation;
  }

  /** True once the event that ends the answer was read or, in a format without one, a finish reason or `[DONE]`. */
  get complete(): boolean {
    return this.#notes.ended ?? (this.#marked || this.#notes.complete);
  }

  /** @throws GatewayError for a malformed event or one that holds an error */
  read(event: SseEvent): GenerateEvent[] {
    if (isDone(event.data)) this.#marked = true;
    const parsed = this.#marked ? undefined : this.#notes.note(event);
    return parsed === undefined ? [] : this.#translation.add(parsed, event);
  }

  /** Returns the rest of the answer, whose events have all been read; the last event is `finish`. */
  end(): GenerateEvent[] {
    return this.#translation.end();
  }
}
