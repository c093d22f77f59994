import { setImmediate } from 'node:timers/promises';
import { type Envelope, GatewayError, type GenerateEvent, toErrorEvent } from '@model-gateway/canonical';
import { type Frame, FrameFlag, FrameKind, noBytes, writeCount, writeHead } from './frame.ts';
import { IncomingBody } from './incoming-body.ts';
import type { FrameWriter } from './outbox.ts';
import { type AnnouncedAttempt, bodyWindow, type OpenHead, pieceOverhead } from './protocol.ts';

/** A call as the worker that accepted it sees it. */
export class ServedCall {
  readonly envelope: Envelope;
  /** A body that comes in pieces; one that is whole is in `body`. */
  readonly incoming: IncomingBody | undefined;
  readonly #writer: FrameWriter;
  readonly #ended: () => void;
  readonly #abort = new AbortController();
  #pieces: Uint8Array[] = [];
  #toCome: number;
  #taken = 0;
  #credit: number;
  #drained: PromiseWithResolvers<void> | undefined;
  #lastSeq = 0;
  #over = false;

  constructor(head: OpenHead, writer: FrameWriter, ended: () => void) {
    this.envelope = head.envelope;
    this.#credit = head.window;
    this.#toCome = head.bodyToCome ?? 0;
    if (head.bodyToCome === null) this.incoming = new IncomingBody(bytes => this.#took(bytes));
    this.#writer = writer;
    this.#ended = ended;
  }

  /** Aborts when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The body, once all of it is here. */
  get body(): Buffer {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] as Buffer;
  }

  /** Tells the caller of an upstream that is about to be called. */
  announce(attempt: AnnouncedAttempt): void {
    if (!this.#over) this.#writer.write(FrameKind.attempt, writeHead(attempt));
  }

  /**
   * Sends events of the answer, the last of them `finish` or `error`.
   * False says that the caller has taken too little so far: read no more from upstream before `drained`.
   */
  send(events: readonly GenerateEvent[]): boolean {
    if (this.#over) return true;
    let batch: GenerateEvent[] = [];
    for (const event of events) {
      if (event.type === 'verbatim') {
        this.#sendBatch(batch);
        batch = [];
        this.#credit -= event.bytes.length;
        const head = event.whole ? writeHead(event.whole) : noBytes;
        this.#writer.write(FrameKind.verbatim, head, event.bytes, event.partial ? FrameFlag.more : 0);
      } else {
        batch.push(event);
      }
    }
    this.#sendBatch(batch);
    return this.#credit > 0;
  }

  /** Sends the last events of the answer, as the JSON that was written of them: a piece in each turn of the event loop. */
  async sendWritten(pieces: readonly Uint8Array[]): Promise<void> {
    for (const [i, piece] of pieces.entries()) {
      if (this.#over) return;
      const last = i === pieces.length - 1;
      this.#credit -= piece.length;
      this.#writer.write(FrameKind.events, piece, noBytes, last ? FrameFlag.last : FrameFlag.more);
      if (!last) await setImmediate();
    }
    this.#end();
  }

  /** Sends a message of a session; the result is that of `send`. */
  sendMessage(data: Uint8Array, text: boolean): boolean {
    if (this.#over) return true;
    this.#credit -= data.length + pieceOverhead;
    this.#writer.write(FrameKind.verbatim, noBytes, data, text ? FrameFlag.text : 0);
    return this.#credit > 0;
  }

  /** Resolves when the caller has taken enough for more to be sent, or has left. */
  get drained(): Promise<void> {
    if (this.#credit > 0 || this.#over) return Promise.resolve();
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > 0) this.#release();
  }

  /** Nobody waits any more: stops the work, and what it still sends goes nowhere. */
  cancel(): void {
    if (this.#over) return;
    this.#end();
    abortInTurn(this.#abort);
  }

  /** Whether a frame follows the one before; if not, the call is over, since a part of the request was lost. */
  follows({ seq }: Frame): boolean {
    if (seq === ++this.#lastSeq) return true;
    this.send([toErrorEvent(new GatewayError('upstream', 'A part of the request was lost.'))]);
    this.#abort.abort();
    return false;
  }

  /** Keeps a piece of the body; true when all of a whole one is here. */
  takeBody(frame: Frame): boolean {
    if (this.incoming) {
      this.incoming.push(frame);
      return false;
    }
    this.#pieces.push(frame.bytes);
    this.#toCome -= frame.bytes.length;
    if (this.#toCome > 0) this.#took(frame.bytes.length + pieceOverhead);
    return this.#toCome <= 0;
  }

  /** As much of the body may come as was taken; told in halves of the window. */
  #took(weight: number): void {
    this.#taken += weight;
    if (this.#taken < bodyWindow / 2 || this.#over) return;
    this.#writer.write(FrameKind.take, noBytes, writeCount(this.#taken));
    this.#taken = 0;
  }

  #sendBatch(batch: readonly GenerateEvent[]): void {
    if (batch.length === 0) return;
    const last = batch.at(-1);
    const over = last?.type === 'finish' || last?.type === 'error';
    const head = writeHead(batch);
    this.#credit -= head.length;
    this.#writer.write(FrameKind.events, head, noBytes, over ? FrameFlag.last : 0);
    if (over) this.#end();
  }

  #end(): void {
    this.#over = true;
    this.#pieces = [];
    this.incoming?.end();
    this.#release();
    this.#ended();
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

/** How many calls are ended in one turn of the event loop: each closes an upstream, and thousands may be cancelled at once. */
const atOnce = 64;

const waiting: AbortController[] = [];
let left = atOnce;
let scheduled = false;

/** Aborts in this turn of the event loop, or in a later one where many are aborted. */
function abortInTurn(controller: AbortController): void {
  schedule();
  if (left === 0) return void waiting.push(controller);
  left--;
  controller.abort();
}

function schedule(): void {
  if (!scheduled) setImmediate(nextTurn);
  scheduled = true;
}

function nextTurn(): void {
  scheduled = false;
  left = atOnce;
  for (const controller of waiting.splice(0, atOnce)) abortInTurn(controller);
  if (waiting.length > 0) schedule();
}
