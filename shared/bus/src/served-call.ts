import { randomUUIDv7 } from 'node:crypto';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import {
  type AudioEvent,
  type Envelope,
  GatewayError,
  type GenerateEvent,
  givenUp,
  toErrorEvent,
  toGatewayError,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { cancelReason } from './call-failure.ts';
import type { Faults } from './faults.ts';
import {
  type AudioHead,
  type Frame,
  FrameFlag,
  FrameKind,
  noBytes,
  type Windows,
  writeCount,
  writeHead,
} from './frame.ts';
import { IncomingBody } from './incoming-body.ts';
import { type FrameWriter, Urgency } from './outbox.ts';
import { type AnnouncedAttempt, type CancelHead, type OpenHead, pieceOverhead } from './protocol.ts';

/** Pieces of at most this many bytes are copied: as views, they would keep all that arrived with them, for as long as the answer takes. */
const copiedBytes = 2_048;
/** Size of the memory that copies share. */
const sharedBytes = 4 * copiedBytes;
let unused = Buffer.alloc(0);

/** Copies bytes next to other copies. In the 64 KiB that Node shares out, they would keep all that was written there meanwhile. */
function copied(bytes: Uint8Array): Buffer {
  if (bytes.length > unused.length) unused = Buffer.allocUnsafeSlow(sharedBytes);
  const copy = unused.subarray(0, bytes.length);
  unused = unused.subarray(bytes.length);
  copy.set(bytes);
  return copy;
}

/** The waits of a worker's calls for credit that have ended. */
export interface CreditWaits {
  count: number;
  /** In milliseconds. */
  ms: number;
}

/** The parts that the calls of a worker share. */
export interface ServedCallParts {
  clock: Clock;
  faults: Faults;
  aborts: PacedAborts;
  waits: CreditWaits;
  /** The credit windows of bodies. */
  bodies: Windows;
}

/** The worker's side of a call that it accepted. */
export class ServedCall {
  readonly envelope: Envelope;
  /** A body that is streamed; a whole body is in `body`. */
  readonly incoming: IncomingBody | undefined;
  readonly #writer: FrameWriter;
  readonly #parts: ServedCallParts;
  readonly #ended: () => void;
  readonly #abort = new AbortController();
  /** The id of the first attempt, until it is made. */
  #firstAttempt: string | undefined;
  #pieces: Uint8Array[] = [];
  #bytesLeft: number;
  #consumedBytes = 0;
  /** The credit window of a body that follows; 0 once it is complete. */
  #bodyWindow = 0;
  #credit: number;
  #drained: PromiseWithResolvers<void> | undefined;
  /** Start of the wait for credit, by the monotonic clock. */
  #waitsSince = 0;
  #lastSeq = 0;
  /** True once a part of the response was written. */
  #begun = false;
  #over = false;

  constructor(head: OpenHead, writer: FrameWriter, parts: ServedCallParts, ended: () => void) {
    this.envelope = head.envelope;
    this.#credit = head.window;
    this.#firstAttempt = head.attempt;
    this.#bytesLeft = head.bodyToCome ?? 0;
    if (head.bodyToCome !== 0) this.#bodyWindow = parts.bodies.open();
    if (head.bodyToCome === null) this.incoming = new IncomingBody(bytes => this.#consumed(bytes));
    this.#writer = writer;
    this.#parts = parts;
    this.#ended = ended;
  }

  /** Aborts when the caller no longer waits for the response; `endedByOf` returns the administrator who ended the request. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The credit window of the body, in bytes; 0 if none follows. */
  get bodyWindow(): number {
    return this.#bodyWindow;
  }

  /** The whole body. */
  get body(): Buffer {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] as Buffer;
  }

  /** True until its first attempt is announced, whose id the caller knows. */
  get isUnannounced(): boolean {
    return this.#firstAttempt !== undefined;
  }

  /**
   * Returns the id of an attempt that is about to be made. Announces it to the caller, which knows only the id of the
   * first one.
   */
  announce({ provider, model, input }: Omit<AnnouncedAttempt, 'id'>): string {
    const known = this.#firstAttempt;
    this.#firstAttempt = undefined;
    if (known) return known;
    const attempt: AnnouncedAttempt = { id: randomUUIDv7(), provider, model, input };
    if (!this.#over) this.#writer.write(FrameKind.attempt, writeHead(attempt));
    return attempt.id;
  }

  /**
   * Sends events of the response; the last one is `finish` or `error`. Returns false if the credit is used up:
   * read no more from the upstream before `drained`.
   */
  send(events: readonly GenerateEvent[]): boolean {
    if (this.#over) return true;
    let batch: GenerateEvent[] = [];
    for (const event of events) {
      if (event.type !== 'verbatim' && event.type !== 'audio') {
        batch.push(event);
        continue;
      }
      this.#sendBatch(batch);
      batch = [];
      this.#sendBytes(event);
    }
    this.#sendBatch(batch);
    return this.#credit > 0;
  }

  /** Sends the last events of the response as pieces of their JSON, one piece per event-loop turn. */
  async sendWritten(pieces: readonly Uint8Array[]): Promise<void> {
    for (const [i, piece] of pieces.entries()) {
      if (this.#over) return;
      const last = i === pieces.length - 1;
      this.#credit -= piece.length;
      this.#write(FrameKind.events, piece, noBytes, last ? FrameFlag.last : FrameFlag.more);
      if (!last) await nextLoopTurn();
    }
    this.#end();
  }

  /** Sends a message of a session; returns false as `send` does. */
  sendMessage(data: Uint8Array, text: boolean): boolean {
    if (this.#over) return true;
    this.#credit -= data.length + pieceOverhead;
    // A message does not wait for those of other streams: each of a burst would.
    this.#writer.write(FrameKind.verbatim, noBytes, data, text ? FrameFlag.text : FrameFlag.none);
    return this.#credit > 0;
  }

  /** Resolves when there is credit again, or the call is over. */
  get drained(): Promise<void> {
    if (this.#credit > 0 || this.#over) return Promise.resolve();
    if (!this.#drained) this.#waitsSince = this.#parts.clock.monotonic();
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    if (this.#credit > 0) this.#release();
  }

  /** Aborts the work; events that it still sends are dropped. */
  cancel(head: CancelHead = {}): void {
    if (this.#over) return;
    this.#end();
    this.#parts.aborts.abort(this.#abort, cancelReason(head));
  }

  /** Cancels the call, whose caller was lost. If the request is made again, it is given up. */
  abandon(): void {
    this.cancel(this.envelope.repeats || !this.#begun ? { givenUp: true } : {});
  }

  /** True if a frame follows the previous one; if not, a part of the request was lost and the call fails. */
  follows({ seq }: Frame): boolean {
    if (seq === ++this.#lastSeq) return true;
    const message = 'A part of the request was lost on the way to the worker. Retry the request.';
    this.fail(new GatewayError('upstream', message));
    return false;
  }

  /** Serves the call by `work`; what that throws or rejects with ends this call alone. */
  serve(work: (call: ServedCall) => void | Promise<void>): void {
    try {
      work(this)?.catch(thrown => this.broke(thrown));
    } catch (thrown) {
      this.broke(thrown);
    }
  }

  /** Ends the response with the error of what a step threw. */
  broke(thrown: unknown): void {
    const { faults } = this.#parts;
    faults.report('call', thrown);
    faults.run('call', () => this.fail(toGatewayError(thrown)));
  }

  /** Ends the response with an error, and aborts the work. */
  fail(error: GatewayError): void {
    this.send([toErrorEvent(error)]);
    this.#abort.abort(givenUp());
  }

  /** Stores a piece of the body. Returns true once a whole body is complete. */
  takeBody(frame: Frame): boolean {
    if (this.incoming) {
      this.incoming.push(frame);
      return false;
    }
    const piece = frame.bytes.length <= copiedBytes ? copied(frame.bytes) : frame.bytes;
    // Most bodies have one piece, and an array that grows by `push` gets room for 17.
    if (this.#pieces.length === 0) this.#pieces = [piece];
    else this.#pieces.push(piece);
    this.#bytesLeft -= frame.bytes.length;
    if (this.#bytesLeft > 0) this.#consumed(frame.bytes.length + pieceOverhead);
    else this.#closeWindow();
    return this.#bytesLeft <= 0;
  }

  /** Grants credit for consumed bytes of the body, in steps of half a window. */
  #consumed(weight: number): void {
    this.#consumedBytes += weight;
    const before = this.#bodyWindow;
    if (2 * this.#consumedBytes < before || this.#over) return;
    this.#bodyWindow = this.#parts.bodies.resize(before, before - this.#consumedBytes);
    const credit = this.#consumedBytes + this.#bodyWindow - before;
    if (credit > 0) this.#writer.write(FrameKind.take, noBytes, writeCount(credit));
    this.#consumedBytes = 0;
  }

  #closeWindow(): void {
    if (this.#bodyWindow > 0) this.#parts.bodies.close(this.#bodyWindow);
    this.#bodyWindow = 0;
  }

  #sendBytes(event: VerbatimEvent | AudioEvent): void {
    const { bytes } = event;
    this.#credit -= bytes.length;
    if (event.type === 'audio') {
      const head: AudioHead | undefined = event.mediaType ? { mediaType: event.mediaType } : undefined;
      this.#write(FrameKind.audio, head ? writeHead(head) : noBytes, bytes, FrameFlag.none);
      return;
    }
    const head = event.whole ? writeHead(event.whole) : noBytes;
    this.#write(FrameKind.verbatim, head, bytes, event.partial ? FrameFlag.more : FrameFlag.none);
  }

  #sendBatch(batch: readonly GenerateEvent[]): void {
    if (batch.length === 0) return;
    const last = batch.at(-1);
    const over = last?.type === 'finish' || last?.type === 'error';
    const head = writeHead(batch);
    this.#credit -= head.length;
    this.#write(FrameKind.events, head, noBytes, over ? FrameFlag.last : FrameFlag.none);
    if (over) this.#end();
  }

  /** Writes a part of the response. Neither the first nor the last delays what follows. */
  #write(kind: FrameKind, head: Uint8Array, bytes: Uint8Array, flags: number): void {
    const further = this.#begun && !(flags & FrameFlag.last);
    this.#writer.write(kind, head, bytes, flags, further ? Urgency.part : Urgency.now);
    this.#begun = true;
  }

  #end(): void {
    this.#over = true;
    this.#closeWindow();
    this.#pieces = [];
    this.incoming?.end();
    this.#release();
    this.#ended();
  }

  #release(): void {
    if (!this.#drained) return;
    const { waits, clock } = this.#parts;
    waits.count++;
    waits.ms += clock.monotonic() - this.#waitsSince;
    this.#drained.resolve();
    this.#drained = undefined;
  }
}

/** Calls aborted per event-loop turn: each closes an upstream request, and thousands may be cancelled at once. */
const abortsPerTurn = 64;

/** Aborts the calls of a process, a few in each event-loop turn. */
export class PacedAborts {
  readonly #waiting: [controller: AbortController, reason: GatewayError | undefined][] = [];
  #left = abortsPerTurn;
  #scheduled = false;

  /** Aborts in this turn, or in a later one if this turn's limit is reached. */
  abort(controller: AbortController, reason?: GatewayError): void {
    this.#schedule();
    if (this.#left === 0) return void this.#waiting.push([controller, reason]);
    this.#left--;
    controller.abort(reason);
  }

  #schedule(): void {
    if (!this.#scheduled) setImmediate(() => this.#nextTurn());
    this.#scheduled = true;
  }

  #nextTurn(): void {
    this.#scheduled = false;
    this.#left = abortsPerTurn;
    for (const [controller, reason] of this.#waiting.splice(0, abortsPerTurn)) this.abort(controller, reason);
    if (this.#waiting.length > 0) this.#schedule();
  }
}
