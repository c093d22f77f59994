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

/** What an event's data says. */
export type EventData = Record<string, unknown>;

/** How the events of a stream are understood that is passed on as it comes. */
export interface Understood {
  /** Whether an event of this name says nothing that has to be known: it may be megabytes. */
  skips?(name: string): boolean;
  /** Takes note of an event; `name` is empty where it has none. */
  note(data: EventData, name: string): void;
  /** Whether all of an answer was noted; only a mark may follow. */
  readonly complete: boolean;
  /** Whether what was noted is an answer if it ends here in good order; where absent, if it is complete. */
  readonly enough?: boolean;
  /** Whether an answer ends with the mark though it was not complete before. */
  readonly marked: boolean;
  readonly usage: Usage | null;
}

const endMark = '[DONE]';

/** Passes a stream on byte for byte: reads along for its usage, what failed, and whether it came to its end. */
export class PassedEvents implements Decoder {
  readonly #understood: Understood;
  readonly #source = new StreamEvents({ skips: ({ event = '' }) => this.#skips(event) });
  #heard = false;
  #over = false;

  constructor(understood: Understood) {
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

  /** The bytes of events that are whole now; where there are none, what that means. */
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
    // Comments before the first event are no answer: another upstream may still be asked.
    this.#heard ||= read.length > 0;
    if (!this.#heard) return [];
    for (const [good, event] of read.entries()) {
      const error = this.#look(event);
      if (error) return [...verbatim(firstEvents(whole, good)), ...this.#fail(error)];
      if (this.#over) break;
    }
    return [...verbatim(whole), ...(this.#over ? this.#finish() : [])];
  }

  /** Takes note of an event; the error that it is, if it is one. */
  #look(given: StreamEvent): GatewayError | undefined {
    const { event = '', data } = given;
    if (data === endMark) {
      this.#over = this.#understood.marked;
      return undefined;
    }
    if (this.#skips(event)) return undefined;
    const read = eventObject(given);
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
