import { setImmediate } from 'node:timers/promises';
import type { Message } from './body-sender.ts';
import { type Frame, FrameFlag } from './frame.ts';
import { pieceOverhead } from './protocol.ts';

/** Number of items read before their slots are freed. */
const maxRead = 1_024;

/** A first-in, first-out queue. Unlike an array's `shift`, its cost does not grow with the queue's length. */
export class Fifo<Item> {
  #items: Item[] = [];
  #next = 0;

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#next];
    if (this.#next < this.#items.length) this.#next++;
    if (this.#next === this.#items.length || this.#next > maxRead) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }
}

/** The most bytes of one message, over all its parts. */
export const maxMessage = 32 * 1024 * 1024;

/** The most pieces read in one event-loop turn. */
const turnPieces = 128;

/** A streamed request body at the worker; can be read once. */
export class IncomingBody {
  readonly #taken: (bytes: number) => void;
  readonly #pieces = new Fifo<{ data: Uint8Array; flags: number }>();
  #more: PromiseWithResolvers<void> | undefined;
  #ended = false;

  /** `taken` is called with the credit that each read piece used. */
  constructor(taken: (bytes: number) => void) {
    this.#taken = taken;
  }

  push({ bytes, flags }: Frame): void {
    if (bytes.length > 0 || !(flags & FrameFlag.last)) this.#pieces.push({ data: bytes, flags });
    if (flags & FrameFlag.last) this.#ended = true;
    this.#wake();
  }

  /** Ends the body, complete or not. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Yields the bytes in pieces of any size. */
  async *bytes(): AsyncGenerator<Uint8Array, void> {
    for await (const { data } of this.#read()) yield data;
  }

  /** Yields whole messages. */
  async *messages(): AsyncGenerator<Message, void> {
    let parts: Uint8Array[] = [];
    let size = 0;
    for await (const { data, flags } of this.#read()) {
      size += data.length;
      if (size > maxMessage) throw new Error(`a session message is larger than ${maxMessage / 2 ** 20} MiB`);
      parts.push(data);
      if (flags & FrameFlag.more) continue;
      const [only] = parts;
      const whole = parts.length === 1 ? (only as Uint8Array) : Buffer.concat(parts);
      parts = [];
      size = 0;
      yield { data: whole, text: (flags & FrameFlag.text) !== 0 };
    }
  }

  async *#read() {
    for (let read = 1; ; read++) {
      // Many small pieces must not block other work of this process.
      if (read % turnPieces === 0) await setImmediate();
      const piece = this.#pieces.shift();
      if (piece) {
        yield piece;
        // The reader requested the next piece, so it is done with this one.
        this.#taken(piece.data.length + pieceOverhead);
      } else if (this.#ended) {
        return;
      } else {
        this.#more = Promise.withResolvers();
        await this.#more.promise;
      }
    }
  }

  #wake(): void {
    this.#more?.resolve();
    this.#more = undefined;
  }
}
