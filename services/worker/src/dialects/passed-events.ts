import type { FinishEvent, GenerateEvent } from '@model-gateway/canonical';
import { EventStream, type FormatReader, type StreamEvent } from './event-stream.ts';

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
  readonly #heldBack: Buffer[] = [];

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
    this.#heldBack.push(bytes);
    const size = this.#heldBack.reduce((sum, { length }) => sum + length, 0);
    return begun || size > maxHeldBack ? verbatim(Buffer.concat(this.#heldBack.splice(0))) : [];
  }
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}
