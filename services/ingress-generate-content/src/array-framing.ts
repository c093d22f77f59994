import type { Framing } from '@model-gateway/ingress';
import { EventReader, EventSplitter } from '@model-gateway/sse';

/** A stream as one JSON array, each event's data one of its elements: what is asked for without `alt=sse`. */
export class ArrayFraming implements Framing {
  readonly mediaType = 'application/json; charset=utf-8';
  readonly #splitter = new EventSplitter();
  readonly #reader = new EventReader();
  #begun = false;

  write(sse: string | Uint8Array): string {
    const bytes =
      typeof sse === 'string' ? Buffer.from(sse) : Buffer.from(sse.buffer, sse.byteOffset, sse.length);
    const events = this.#reader.read(this.#splitter.push(bytes));
    return events.map(({ data }) => this.#before() + data).join('');
  }

  end(): string {
    return this.#begun ? '\n]' : '[]';
  }

  #before(): string {
    const before = this.#begun ? '\n,\n' : '[';
    this.#begun = true;
    return before;
  }
}
