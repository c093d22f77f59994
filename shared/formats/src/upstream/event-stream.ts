import type { GenerateEvent, Usage } from '@model-gateway/canonical';
import { answerBounds, exceededBound, jsonStep, parseInSteps, type Turn } from '@model-gateway/json';
import { EventReader, EventSplitter, EventTooLarge, firstEvents, type SseEvent } from '@model-gateway/sse';
import type { Decoder } from './dialect.ts';
import { isDone, isSilent, isUnfinishedMark, isUntidy, wholeEvents } from './loose-events.ts';
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
  /** True if the format has events that only keep the connection alive. */
  readonly hasHeartbeats?: boolean;
  /**
   * The effect of `[DONE]`: it ends any response (`ends`), or one that is valid without it, else the response
   * is cut off (`ends-valid`), or it is ignored. If absent, it is read as an event.
   */
  readonly endMark?: 'ends' | 'ends-valid' | 'ignored';
  /** True if only an end mark may follow. */
  readonly complete: boolean;
  /** True if a complete response may go on: its usage has not come, or its end came with content. */
  readonly mayGoOn?: boolean;
  /** True if the response is valid if the stream ends here; same as `complete` if absent. */
  readonly valid?: boolean;
  /** True if the response is valid if its end mark comes here; same as `valid` if absent. */
  readonly validAtMark?: boolean;
  /** True if a valid response may be followed by a part of an event. */
  readonly ignoresRest?: boolean;
  readonly usage: Usage | null;
  /** Characters of text so far. */
  readonly characters?: number;
}

const none: GenerateEvent[] = [];
/** The most bytes of an end mark that lacks its line ends. */
const maxMark = 20;

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

  get mayGoOn(): boolean {
    return this.#reader.mayGoOn ?? false;
  }

  get usage(): Usage | null {
    return this.#reader.usage;
  }

  get characters(): number {
    return this.#reader.characters ?? 0;
  }

  get held(): number {
    return this.#splitter.held;
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
    return this.#end(this.#splitter.end());
  }

  endInSteps(turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    const rest = this.#splitter.end();
    if (this.#over || rest.length <= jsonStep) return this.#end(rest);
    return this.#readAhead(rest, turn).then(() => this.#end(rest));
  }

  /** Adds an event that was read. `parsed` is undefined if it has no content for the client. */
  protected abstract add(event: StreamEvent, parsed: E | undefined): void;

  /** Returns the output of the added events. `whole` holds the bytes of these events and of no other. */
  protected abstract take(whole: () => Buffer): GenerateEvent[];

  /** Returns the events that take the place of a missing end mark. */
  protected abstract completed(): GenerateEvent[];

  /** Returns the events that end the response. @throws GatewayError if it turns out to be malformed */
  protected abstract finish(): GenerateEvent[];

  /** True if bytes of an event came that may not be ignored. */
  get #inEvent(): boolean {
    const { unfinished, held } = this.#splitter;
    if (!unfinished || this.#reader.ignoresRest) return false;
    return held > maxMark || !isUnfinishedMark(this.#splitter.rest);
  }

  /** Ends the response. The last event of a body may lack its line ends, which `rest` has. */
  #end(rest: Buffer): GenerateEvent[] {
    if (this.#over) return none;
    const last = rest.length > 0 ? this.#lastEvents(rest) : [];
    const events = last && last.length > 0 ? this.#decode(rest, last) : none;
    if (this.#over) return events;
    const { complete, valid = complete, ignoresRest = false } = this.#reader;
    if (valid && (last || ignoresRest)) return [...events, ...this.completed(), ...this.#finish()];
    return [...events, ...this.#fail(cutOff())];
  }

  /** Returns the events of the rest; undefined if it is a part of an event. */
  #lastEvents(rest: Buffer): StreamEvent[] | undefined {
    try {
      return wholeEvents(this.#eventsOf(rest), rest, this.#reader);
    } catch (thrown) {
      if (thrown instanceof EventTooLarge) return undefined;
      throw thrown;
    }
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

  /** Decodes complete bytes. `last` holds their events, if they were read already. */
  #decode(whole: Buffer, last?: StreamEvent[]): GenerateEvent[] {
    if (!last && !this.#ahead && this.#reader.readTexts?.(whole)) return this.take(() => whole);
    let good = 0;
    try {
      const events = last ?? this.#eventsOf(whole);
      for (const event of events) {
        this.add(event, this.#look(event, whole));
        good++;
        if (!this.#over) continue;
        // Nothing belongs to the response after its end.
        const isAll = good === events.length;
        return [...this.take(() => (isAll ? whole : firstEvents(whole, good))), ...this.#finish()];
      }
    } catch (thrown) {
      return [...this.take(() => firstEvents(whole, good)), ...this.#fail(thrown)];
    }
    return this.take(() => whole);
  }

  #look(event: StreamEvent, whole: Buffer): E | undefined {
    const reader = this.#reader;
    if (isSilent(event)) {
      if (!reader.hasHeartbeats || isUntidy(event)) event.sent = '';
      return undefined;
    }
    if (reader.endMark && isDone(event.data)) {
      const { complete, valid = complete, validAtMark = valid } = reader;
      if (reader.endMark === 'ends-valid' && !validAtMark) throw cutOff();
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
