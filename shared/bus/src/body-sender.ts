import { setImmediate } from 'node:timers/promises';
import { FrameFlag, FrameKind, noBytes } from './frame.ts';
import type { FrameWriter } from './outbox.ts';
import { pieceOverhead } from './protocol.ts';

/** A request body: whole, a stream of pieces that is read once, or a function that reads the pieces from the start. */
export type RequestBody = Uint8Array | Pieces | (() => Pieces);
type Pieces = AsyncIterable<Uint8Array | Message>;

/** A message of a session. Its boundaries are preserved. */
export interface Message {
  data: Uint8Array;
  text: boolean;
}

/** The smallest frame of a larger body, in bytes: it may exceed what is left of the credit. */
const leastFrame = 4 * 1024;

/** The most pieces sent in one event-loop turn, so that many small pieces do not block other work. */
const turnPieces = 128;

/** Sends a request body to a worker within the credit that the worker grants. */
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

  /** Resolves when the whole body was sent, or sending was stopped. */
  async send(body: RequestBody): Promise<void> {
    if (body instanceof Uint8Array) return this.#whole(body);
    let sent = 0;
    for await (const piece of typeof body === 'function' ? body() : body) {
      if (this.#stopped) return;
      if (++sent % turnPieces === 0) await setImmediate();
      if (piece instanceof Uint8Array) await this.#piece(piece, FrameFlag.none);
      else await this.#piece(piece.data, piece.text ? FrameFlag.text : FrameFlag.none);
    }
    if (!this.#stopped) this.#writer.write(FrameKind.body, noBytes, noBytes, FrameFlag.last);
  }

  async #whole(body: Uint8Array): Promise<void> {
    for (let at = 0; at < body.length && !this.#stopped; ) {
      const piece = body.subarray(at, at + this.#mostBytes);
      at += piece.length;
      const last = at === body.length;
      this.#put(piece, last ? FrameFlag.last : FrameFlag.none);
      if (!last) await this.#room();
    }
  }

  /** Sends one piece in as many frames as needed. */
  async #piece(piece: Uint8Array, flags: number): Promise<void> {
    let at = 0;
    do {
      const part = piece.subarray(at, at + this.#mostBytes);
      at += part.length;
      this.#put(part, at < piece.length ? flags | FrameFlag.more : flags);
      await this.#room();
    } while (at < piece.length && !this.#stopped);
  }

  /** The most bytes of the next frame. */
  get #mostBytes(): number {
    return Math.min(this.#maxFrame, Math.max(leastFrame, this.#credit));
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
