import { setImmediate } from 'node:timers/promises';
import { FrameFlag, FrameKind, noBytes } from './frame.ts';
import type { FrameWriter } from './outbox.ts';
import { pieceOverhead } from './protocol.ts';

/** A request body as a caller has it: whole, or in pieces as they come, or in pieces that can be read again. */
export type RequestBody = Uint8Array | Pieces | (() => AsyncIterable<Uint8Array>);
type Pieces = AsyncIterable<Uint8Array | Message>;

/** A piece whose beginning and end matter, and whether it is text. */
export interface Message {
  data: Uint8Array;
  text: boolean;
}

/** How many pieces are sent in one event-loop turn: a run of small ones must not keep everything else waiting. */
const turnPieces = 128;

/** The caller's half of a request body's credit: sends no more than the worker has room for. */
export class BodySender {
  readonly #writer: FrameWriter;
  readonly #maxFrame: number;
  #credit: number;
  #granted: PromiseWithResolvers<void> | undefined;
  #stopped = false;

  constructor(writer: FrameWriter, maxFrame: number, window: number) {
    this.#writer = writer;
    this.#maxFrame = maxFrame;
    this.#credit = window;
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > 0) this.#wake();
  }

  /** Sends nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  /** Resolves when all of the body is on its way, or nobody wants it any more. */
  async send(body: RequestBody): Promise<void> {
    if (body instanceof Uint8Array) return this.#whole(body);
    let sent = 0;
    for await (const piece of typeof body === 'function' ? body() : (body as Pieces)) {
      if (this.#stopped) return;
      if (++sent % turnPieces === 0) await setImmediate();
      if (piece instanceof Uint8Array) await this.#piece(piece, FrameFlag.none);
      else await this.#piece(piece.data, piece.text ? FrameFlag.text : FrameFlag.none);
    }
    if (!this.#stopped) this.#writer.write(FrameKind.body, noBytes, noBytes, FrameFlag.last);
  }

  async #whole(body: Uint8Array): Promise<void> {
    for (let at = 0; at < body.length && !this.#stopped; at += this.#maxFrame) {
      const piece = body.subarray(at, at + this.#maxFrame);
      const last = at + piece.length === body.length;
      this.#put(piece, last ? FrameFlag.last : FrameFlag.none);
      if (!last) await this.#room();
    }
  }

  /** One piece, in as many frames as it takes. */
  async #piece(piece: Uint8Array, flags: number): Promise<void> {
    let at = 0;
    do {
      const part = piece.subarray(at, at + this.#maxFrame);
      at += part.length;
      this.#put(part, at < piece.length ? flags | FrameFlag.more : flags);
      await this.#room();
    } while (at < piece.length && !this.#stopped);
  }

  #put(bytes: Uint8Array, flags: number): void {
    this.#credit -= bytes.length + pieceOverhead;
    this.#writer.write(FrameKind.body, noBytes, bytes, flags);
  }

  async #room(): Promise<void> {
    if (this.#credit > 0 || this.#stopped) return;
    this.#granted ??= Promise.withResolvers();
    await this.#granted.promise;
  }

  #wake(): void {
    this.#granted?.resolve();
    this.#granted = undefined;
  }
}
