import {
  answerBounds,
  exceededBound,
  type GenerateEvent,
  jsonStep,
  parseInSteps,
  type Turn,
} from '@model-gateway/canonical';
import { EventReader, EventSplitter, type SseEvent } from '@model-gateway/sse';
import { objectIn, readJson } from './read-json.ts';

/** An event of an upstream's stream. */
export interface StreamEvent extends SseEvent {
  /** The parsed data, if it was parsed ahead; its `value` is undefined for malformed data. */
  ahead?: { value: unknown };
}

type Parse = (text: string) => unknown;

/** Parses an event's data; undefined if it is malformed or exceeds {@link answerBounds}. */
export function eventJson({ data, ahead }: StreamEvent, parse: Parse = JSON.parse): unknown {
  return ahead ? ahead.value : readJson(data, parse);
}

/** Same as {@link eventJson}, but returns undefined for any value other than an object. */
export function eventObject(event: StreamEvent): Record<string, unknown> | undefined {
  return objectIn(eventJson(event));
}

export interface StreamEventsOptions {
  /** Returns the parser for an event's data. */
  parser?(data: string): Parse;
  /** True for an event whose data is not parsed. */
  skips?(event: SseEvent): boolean;
}

/** Splits a stream into events and parses them; large ones in steps if the decoder can wait. */
export class StreamEvents {
  readonly #splitter = new EventSplitter();
  readonly #reader = new EventReader();
  readonly #options: StreamEventsOptions;
  /** Returns the events that were parsed ahead for the next `read`. */
  #ahead: (() => StreamEvent[]) | undefined;

  constructor(options: StreamEventsOptions = {}) {
    this.#options = options;
  }

  /** True if the bytes of an incomplete event are buffered. */
  get unfinished(): boolean {
    return this.#splitter.unfinished;
  }

  /** Adds bytes. Returns the bytes of all complete events. @throws EventTooLarge */
  push(bytes: Buffer): Buffer {
    return this.#splitter.push(bytes);
  }

  /** Returns the events of complete bytes. @throws EventTooLarge for an event with too many lines */
  read(whole: Buffer): StreamEvent[] {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead ? ahead() : this.#reader.read(whole);
  }

  /** Returns the result of `decode`, which reads `whole`. Large events are parsed ahead in steps first. */
  decode(
    whole: Buffer,
    turn: Turn,
    decode: () => GenerateEvent[],
  ): GenerateEvent[] | Promise<GenerateEvent[]> {
    return whole.length > jsonStep ? this.#readAhead(whole, turn).then(decode) : decode();
  }

  async #readAhead(whole: Buffer, turn: Turn): Promise<void> {
    await turn();
    try {
      const events: StreamEvent[] = this.#reader.read(whole);
      for (const event of events) {
        if (event.data.length <= jsonStep || this.#options.skips?.(event)) continue;
        await turn();
        event.ahead = { value: await this.#value(event.data, turn) };
      }
      this.#ahead = () => events;
    } catch (error) {
      this.#ahead = () => {
        throw error;
      };
    }
    await turn();
  }

  async #value(data: string, turn: Turn): Promise<unknown> {
    if (exceededBound(data, answerBounds)) return undefined;
    await turn();
    try {
      return await parseInSteps(data, turn, this.#options.parser?.(data));
    } catch {
      return undefined;
    }
  }
}
