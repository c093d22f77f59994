import {
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  type Turn,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { answerFailure } from './decode-openai-failure.ts';
import type { Decoder } from './dialect.ts';
import { readFailure } from './failure-body.ts';
import { firstEvents } from './first-events.ts';
import { unreadable } from './read-json.ts';
import { eventObject, type StreamEvent, StreamEvents } from './stream-events.ts';

/** The JSON object in an event's data. */
export type EventData = Record<string, unknown>;

/** Reads the events of a stream that is passed on verbatim. */
export interface PassedEvent {
  /** True if events of this name need not be parsed; they may be megabytes. */
  skips?(name: string): boolean;
  /** Records an event. `name` is empty for an event without one. */
  note(data: EventData, name: string): void;
  /** True if the whole response was received; only an end marker may follow. */
  readonly complete: boolean;
  /** True if the response is valid if the stream ends here; same as `complete` if absent. */
  readonly enough?: boolean;
  /** True if `[DONE]` ends the response even if it was not complete. */
  readonly marked: boolean;
  readonly usage: Usage | null;
}

const endMarker = '[DONE]';

/** Passes a stream on byte for byte, and reads its usage, its errors and its end. */
export class PassedEvents implements Decoder {
  readonly #understood: PassedEvent;
  readonly #source = new StreamEvents({ skips: ({ event = '' }) => this.#skips(event) });
  #sawEvent = false;
  #over = false;

  constructor(understood: PassedEvent) {
    this.#understood = understood;
  }

  get complete(): boolean {
    return this.#understood.complete && !this.#source.unfinished;
  }

  get usage(): Usage | null {
    return this.#understood.usage;
  }

  read(bytes: Buffer): GenerateEvent[] {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#events(whole) : whole;
  }

  readInSteps(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#source.decode(whole, turn, () => this.#events(whole)) : whole;
  }

  /** Returns the bytes of complete events; if there are none, the resulting events. */
  #whole(bytes: Buffer): Buffer | GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#source.push(bytes);
      return whole.length === 0 ? [] : whole;
    } catch (cause) {
      return this.#fail(unreadable(cause));
    }
  }

  end(): GenerateEvent[] {
    if (this.#over) return [];
    const { complete, enough = complete } = this.#understood;
    return enough && !this.#source.unfinished
      ? this.#finish()
      : this.#fail(new GatewayError('upstream', 'The upstream ended its answer too early.'));
  }

  #skips(event: string): boolean {
    return this.#understood.skips?.(event) ?? false;
  }

  #events(whole: Buffer): GenerateEvent[] {
    try {
      return this.#passed(whole);
    } catch (cause) {
      return this.#fail(unreadable(cause));
    }
  }

  #passed(whole: Buffer): GenerateEvent[] {
    const read = this.#source.read(whole);
    // Comments before the first event are not passed on, so that a retry at another upstream stays possible.
    this.#sawEvent ||= read.length > 0;
    if (!this.#sawEvent) return [];
    for (const [good, event] of read.entries()) {
      const error = this.#look(event);
      if (error) return [...verbatim(firstEvents(whole, good)), ...this.#fail(error)];
      if (this.#over) break;
    }
    return [...verbatim(whole), ...(this.#over ? this.#finish() : [])];
  }

  /** Records an event. Returns an error if the event is one. */
  #look(streamEvent: StreamEvent): GatewayError | undefined {
    const { event = '', data } = streamEvent;
    if (data === endMarker) {
      this.#over = this.#understood.marked;
      return undefined;
    }
    if (this.#skips(event)) return undefined;
    const read = eventObject(streamEvent);
    if (event === 'error' || read?.type === 'error' || read?.error)
      return answerFailure(readFailure(read) ? read : data);
    if (!read) return new GatewayError('upstream', 'The upstream sent a malformed event.');
    this.#understood.note(read, event);
    return undefined;
  }

  #finish(): [FinishEvent] {
    this.#over = true;
    return [{ type: 'finish', reason: 'stop', raw: null, usage: this.usage }];
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}
