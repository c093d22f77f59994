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
  /** Its data's value, where that was read ahead; undefined in it for what cannot be read. */
  ahead?: { value: unknown };
}

type Parse = (text: string) => unknown;

/** An event's data as JSON; undefined for what is none, or exceeds what an upstream may send at once. */
export function eventJson({ data, ahead }: StreamEvent, parse: Parse = JSON.parse): unknown {
  return ahead ? ahead.value : readJson(data, parse);
}

/** The same where it is an object. */
export function eventObject(event: StreamEvent): Record<string, unknown> | undefined {
  return objectIn(eventJson(event));
}

export interface StreamEventsOptions {
  /** The reader of an event's data. */
  parser?(data: string): Parse;
  /** True for an event whose data nobody reads. */
  skips?(event: SseEvent): boolean;
}

/** Cuts a stream into its events, and reads them: large ones in steps, where its decoder can wait for that. */
export class StreamEvents {
  readonly #splitter = new EventSplitter();
  readonly #reader = new EventReader();
  readonly #options: StreamEventsOptions;
  /** What was read ahead of the bytes that are decoded next. */
  #ahead: (() => StreamEvent[]) | undefined;

  constructor(options: StreamEventsOptions = {}) {
    this.#options = options;
  }

  /** Whether bytes of an unfinished event are held. */
  get unfinished(): boolean {
    return this.#splitter.unfinished;
  }

  /** The bytes of every event that is whole now; empty if none is. @throws EventTooLarge */
  push(bytes: Buffer): Buffer {
    return this.#splitter.push(bytes);
  }

  /** The events of these bytes. @throws EventTooLarge for one of too many lines */
  read(whole: Buffer): StreamEvent[] {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead ? ahead() : this.#reader.read(whole);
  }

  /** What `decode` gives, which reads these bytes; large ones are read ahead in steps before that. */
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
