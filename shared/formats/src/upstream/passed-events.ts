import type { FinishEvent, GenerateEvent } from '@model-gateway/canonical';
import { EventReader, Pieces, splitEvents } from '@model-gateway/sse';
import { EventStream, type FormatReader } from './event-stream.ts';
import { isDone, sentMark } from './loose-events.ts';
import type { StreamEvent } from './read-json.ts';

/** Reads along with a stream that is passed on. */
export interface PassedReader<E = unknown> extends FormatReader<E> {
  /**
   * True if the response has content. Until then its bytes are held back, so that failover stays possible. If
   * absent, only comments before the first event are not passed on.
   */
  readonly begun?: boolean;
  /** The format's end mark; empty if it has none. It takes the place of one that is missing or of another format. */
  readonly mark?: string;
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
  /** True if one of the events is not passed on as it is. */
  #mends = false;
  readonly #heldBack = new Pieces();

  constructor(reader: PassedReader) {
    super(reader);
    this.#reader = reader;
  }

  protected add(event: StreamEvent): void {
    if (isDone(event.data)) event.sent = sentMark(event, this.#reader.mark) ?? event.sent;
    if (event.sent !== '') this.#sawEvent = true;
    if (event.sent !== undefined) this.#mends = true;
    this.#events.push(event);
  }

  protected take(whole: () => Buffer): GenerateEvent[] {
    const { begun } = this.#reader;
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    const isMended = this.#mends;
    this.#mends = false;
    if (begun === undefined && !this.#sawEvent) return [];
    const all = isMended ? mended(whole(), events) : whole();
    const bytes = this.#reader.passed?.(all, events) ?? all;
    return begun === undefined ? verbatim(bytes) : this.#release(bytes, begun);
  }

  protected completed(): GenerateEvent[] {
    return verbatim(Buffer.from(this.#reader.mark ?? ''));
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

/** Returns the bytes of events with what is passed on in their place. */
function mended(whole: Buffer, events: readonly StreamEvent[]): Buffer {
  const reader = new EventReader();
  let at = 0;
  const kept = splitEvents(whole.toString('utf8')).map(text => {
    const isEvent = reader.read(Buffer.from(text)).length > 0;
    return (isEvent ? events[at++]?.sent : undefined) ?? text;
  });
  return Buffer.from(kept.join(''));
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}
