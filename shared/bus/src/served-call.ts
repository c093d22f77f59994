import type { Envelope, GenerateEvent } from '@model-gateway/canonical';
import { FrameFlag, FrameKind, noBytes, writeHead } from './frame.ts';
import type { FrameWriter } from './outbox.ts';
import type { OpenHead } from './protocol.ts';

/** A call as the worker that accepted it sees it. */
export class ServedCall {
  readonly envelope: Envelope;
  readonly #writer: FrameWriter;
  readonly #ended: () => void;
  readonly #abort = new AbortController();
  readonly #pieces: Uint8Array[] = [];
  #toCome: number;
  #credit: number;
  #drained: PromiseWithResolvers<void> | undefined;
  #over = false;

  constructor(head: OpenHead, writer: FrameWriter, ended: () => void) {
    this.envelope = head.envelope;
    this.#credit = head.window;
    this.#toCome = head.bodyToCome;
    this.#writer = writer;
    this.#ended = ended;
  }

  /** Aborts when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The body, once all of it is here. */
  get body(): Buffer {
    const [only] = this.#pieces;
    return this.#pieces.length === 1 ? (only as Buffer) : Buffer.concat(this.#pieces);
  }

  /** Keeps a piece of the body; true when it was the last. */
  takeBody(bytes: Uint8Array): boolean {
    this.#pieces.push(bytes);
    this.#toCome -= bytes.length;
    return this.#toCome <= 0;
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
    this.#abort.abort();
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
    this.#release();
    this.#ended();
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
