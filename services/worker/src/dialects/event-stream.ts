import type { FinishEvent, GatewayError, GenerateEvent, Usage } from '@model-gateway/canonical';
import { answerBounds, exceededBound, jsonStep, parseInSteps, type Turn } from '@model-gateway/json';
import { EventReader, EventSplitter, firstEvents, Pieces, type SseEvent } from '@model-gateway/sse';
import type { Decoder } from './dialect.ts';
import { cutOff, errorEvents } from './malformed.ts';
import type { Parse, StreamEvent } from './read-json.ts';

/** Reads the usage, the errors and the end of a stream of one format. `E` is the format's parsed event. */
export interface FormatReader<E> {
  /**
   * Parses and records an event of `whole`; returns undefined if it has no content for the client.
   * @throws GatewayError for a malformed event or one that holds an error
   */
  read(event: StreamEvent, whole: Buffer): E | undefined;
  /** Records whole events that hold nothing but text, without parsing them. Returns false, and records none, for others. */
  readTexts?(whole: Buffer): boolean;
  /** True for an event that is neither parsed nor read. */
  skips?(event: SseEvent): boolean;
  /** Returns the parser for an event's data; `JSON.parse` if absent. */
  parser?(data: string): Parse;
  /** True once the event that ends the response was read. */
  readonly ended?: boolean;
  /**
   * The effect of `[DONE]`: it ends any response (`ends`), or one that is valid without it, else the response
   * is cut off (`ends-valid`), or it is ignored. If absent, it is read as an event.
   */
  readonly endMark?: 'ends' | 'ends-valid' | 'ignored';
  /** True if only an end mark may follow. */
  readonly complete: boolean;
  /** True if the response is valid if the stream ends here; same as `complete` if absent. */
  readonly valid?: boolean;
  /** True if a valid response may be followed by a part of an event. */
  readonly ignoresRest?: boolean;
  /** Reads the bytes after the last event of a response that is cut off; undefined if they hold no error. */
  restFailure?(rest: Buffer): GatewayError | undefined;
  readonly usage: Usage | null;
  /** Characters of text so far. */
  readonly characters?: number;
}

const doneMark = '[DONE]';

/** Splits an upstream's stream into events and hands each to the reader of its format, up to its end or first error. */
export abstract class EventStream<E> implements Decoder {
  readonly #splitter = new EventSplitter();
  readonly #events = new EventReader();
  readonly #reader: FormatReader<E>;
  /** Returns the events that were parsed ahead for the next read. */
  #ahead: (() => StreamEvent[]) | undefined;
  #over = false;

  constructor(reader: FormatReader<E>) {
    this.#reader = reader;
  }

  get complete(): boolean {
    return this.#reader.complete && !this.#inEvent;
  }

  get usage(): Usage | null {
    return this.#reader.usage;
  }

  get characters(): number {
    return this.#reader.characters ?? 0;
  }

  read(bytes: Buffer): GenerateEvent[] {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#decode(whole) : whole;
  }

  readInSteps(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    const whole = this.#whole(bytes);
    if (!Buffer.isBuffer(whole)) return whole;
    if (whole.length <= jsonStep) return this.#decode(whole);
    return this.#readAhead(whole, turn).then(() => this.#decode(whole));
  }

  end(): GenerateEvent[] {
    if (this.#over) return [];
    if (this.#valid) return [...this.completed(), ...this.#finish()];
    return this.#fail(this.#reader.restFailure?.(this.#splitter.rest) ?? cutOff());
  }

  /** Adds an event that was read. `parsed` is undefined if it has no content for the client. */
  protected abstract add(event: StreamEvent, parsed: E | undefined): void;

  /** Returns the output of the added events. `whole` holds the bytes of these events and of no other. */
  protected abstract take(whole: () => Buffer): GenerateEvent[];

  /** Returns the events that take the place of a missing end mark. */
  protected abstract completed(): GenerateEvent[];

  /** Returns the events that end the response. @throws GatewayError if it turns out to be malformed */
  protected abstract finish(): GenerateEvent[];

  /** True if the stream was cut off within an event. */
  get #inEvent(): boolean {
    return this.#splitter.unfinished && !this.#reader.ignoresRest;
  }

  get #valid(): boolean {
    const { complete, valid = complete } = this.#reader;
    return valid && !this.#inEvent;
  }

  /** Returns the bytes of complete events; if there are none, the resulting events. */
  #whole(bytes: Buffer): Buffer | GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#splitter.push(bytes);
      return whole.length === 0 ? [] : whole;
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  #decode(whole: Buffer): GenerateEvent[] {
    if (!this.#ahead && this.#reader.readTexts?.(whole)) return this.take(() => whole);
    let good = 0;
    try {
      for (const event of this.#eventsOf(whole)) {
        this.add(event, this.#look(event, whole));
        good++;
        if (this.#over) break;
      }
    } catch (thrown) {
      return [...this.take(() => firstEvents(whole, good)), ...this.#fail(thrown)];
    }
    const events = this.take(() => whole);
    return this.#over ? [...events, ...this.#finish()] : events;
  }

  #look(event: StreamEvent, whole: Buffer): E | undefined {
    const reader = this.#reader;
    if (event.data === doneMark && reader.endMark) {
      if (reader.endMark === 'ends-valid' && !this.#valid) throw cutOff();
      this.#over = reader.endMark !== 'ignored';
      return undefined;
    }
    if (reader.skips?.(event)) return undefined;
    const parsed = reader.read(event, whole);
    this.#over = reader.ended ?? false;
    return parsed;
  }

  #finish(): GenerateEvent[] {
    this.#over = true;
    try {
      return this.finish();
    } catch (thrown) {
      return errorEvents(thrown);
    }
  }

  #fail(thrown: unknown): GenerateEvent[] {
    this.#over = true;
    return errorEvents(thrown);
  }

  /** Returns the events of complete bytes. @throws EventTooLarge for an event with too many lines */
  #eventsOf(whole: Buffer): StreamEvent[] {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead ? ahead() : this.#events.read(whole);
  }

  /** Parses large events in steps before they are read. */
  async #readAhead(whole: Buffer, turn: Turn): Promise<void> {
    await turn();
    try {
      const events: StreamEvent[] = this.#events.read(whole);
      for (const event of events) {
        if (event.data.length <= jsonStep || this.#reader.skips?.(event)) continue;
        await turn();
        event.ahead = { value: await this.#value(event.data, turn) };
      }
      const ahead = () => events;
      this.#ahead = ahead;
    } catch (error) {
      const ahead = () => {
        throw error;
      };
      this.#ahead = ahead;
    }
    await turn();
  }

  async #value(data: string, turn: Turn): Promise<unknown> {
    if (exceededBound(data, answerBounds)) return undefined;
    await turn();
    try {
      return await parseInSteps(data, turn, this.#reader.parser?.(data));
    } catch {
      return undefined;
    }
  }
}

/** Reads along with a stream that is passed on. */
export interface PassedReader<E = unknown> extends FormatReader<E> {
  /**
   * True if the response has content. Until then its bytes are held back, so that failover stays possible. If
   * absent, only comments before the first event are not passed on.
   */
  readonly begun?: boolean;
  /** The bytes of the end mark, which are added if the upstream left it out. */
  readonly missingMark?: string;
  /** Returns the bytes to pass on of events that were read; all of them if absent. */
  passed?(whole: Buffer, events: readonly StreamEvent[]): Buffer;
  /** Returns the end of the response. */
  finish(): FinishEvent;
}

/** The most bytes held back of a response without content. */
const maxHeldBack = 1024 * 1024;

/** Passes a stream on byte for byte. */
export class PassedEvents extends EventStream<unknown> {
  readonly #reader: PassedReader;
  #events: StreamEvent[] = [];
  #sawEvent = false;
  readonly #heldBack = new Pieces();

  constructor(reader: PassedReader) {
    super(reader);
    this.#reader = reader;
  }

  protected add(event: StreamEvent): void {
    this.#sawEvent = true;
    this.#events.push(event);
  }

  protected take(whole: () => Buffer): GenerateEvent[] {
    const { begun } = this.#reader;
    if (begun === undefined && !this.#sawEvent) return [];
    const bytes = this.#reader.passed?.(whole(), this.#events) ?? whole();
    this.#events = [];
    return begun === undefined ? verbatim(bytes) : this.#release(bytes, begun);
  }

  protected completed(): GenerateEvent[] {
    return verbatim(Buffer.from(this.#reader.missingMark ?? ''));
  }

  protected finish(): GenerateEvent[] {
    return [this.#reader.finish()];
  }

  /** Returns the bytes with those held back, unless they are held back too. */
  #release(bytes: Buffer, begun: boolean): GenerateEvent[] {
    if (begun && this.#heldBack.length === 0) return verbatim(bytes);
    this.#heldBack.add(bytes);
    return begun || this.#heldBack.length > maxHeldBack ? verbatim(this.#heldBack.take()) : [];
  }
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}

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
