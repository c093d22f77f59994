import { setImmediate } from 'node:timers/promises';
import type { Message } from './body-sender.ts';
import { Fifo } from './fifo.ts';
import { type Frame, FrameFlag } from './frame.ts';
import { pieceOverhead } from './protocol.ts';

/** The most bytes that the parts of one message may add up to. */
export const maxMessage = 32 * 1024 * 1024;

/** How many pieces are read in one event-loop turn. */
const turnPieces = 128;

/** A body that comes in pieces, for the worker to read as they come; to be read once. */
export class IncomingBody {
  readonly #taken: (bytes: number) => void;
  readonly #pieces = new Fifo<{ data: Uint8Array; flags: number }>();
  #more: PromiseWithResolvers<void> | undefined;
  #ended = false;

  /** `taken` is told what that was read took of the window: as much more may come. */
  constructor(taken: (bytes: number) => void) {
    this.#taken = taken;
  }

  push({ bytes, flags }: Frame): void {
    if (bytes.length > 0 || !(flags & FrameFlag.last)) this.#pieces.push({ data: bytes, flags });
    if (flags & FrameFlag.last) this.#ended = true;
    this.#wake();
  }

  /** Nothing more comes, whether all of it was here or not. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The bytes, in pieces of any size. */
  async *bytes(): AsyncGenerator<Uint8Array, void> {
    for await (const { data } of this.#read()) yield data;
  }

  /** The messages, each whole. */
  async *messages(): AsyncGenerator<Message, void> {
    let parts: Uint8Array[] = [];
    let size = 0;
    for await (const { data, flags } of this.#read()) {
      size += data.length;
      if (size > maxMessage) throw new Error('a message is too large');
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
      // A run of small pieces must not keep everything else in this process waiting.
      if (read % turnPieces === 0) await setImmediate();
      const piece = this.#pieces.shift();
      if (piece) {
        yield piece;
        // Asked for the next one: this one is done with.
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
