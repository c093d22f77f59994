import { type FinishEvent, fromErrorEvent, GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import type { Message } from './body-sender.ts';
import type { Call } from './call.ts';
import type { CallRequest } from './call-request.ts';
import type { Caller } from './caller.ts';
import { Fifo } from './incoming-body.ts';
import { pieceOverhead } from './protocol.ts';

/** The most bytes that may wait to be sent; a sender that exceeds them ends its session. */
export const maxSessionWaiting = 32 * 1024 * 1024;
/** Number of waiting bytes from which the sender should pause. */
const enoughWaiting = 256 * 1024;

interface SessionRequest extends Pick<CallRequest, 'pool' | 'envelope' | 'queueMs'> {
  /** Receives the worker's messages in order; return `weight` as credit by {@link Session.consumed}. */
  onMessage(message: Message, weight: number): void;
  /** Called once a worker has accepted the session. */
  onStart?(): void;
  /** Called last, with the error or with the upstream's close code. */
  onEnd(error?: GatewayError, closed?: FinishEvent['closed']): void;
}

/** Messages in both directions between a caller and the worker that accepted, each direction under credit. */
export class Session {
  readonly #request: SessionRequest;
  readonly #call: Call;
  readonly #waiting = new Fifo<Message>();
  #waitingBytes = 0;
  #parts: Uint8Array[] = [];
  #weight = 0;
  #closed = false;
  #more: PromiseWithResolvers<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(caller: Caller, request: SessionRequest) {
    this.#request = request;
    const { pool, envelope, queueMs } = request;
    const onEvents = (events: GenerateEvent[], weight: number) => this.#read(events, weight);
    this.#call = caller.call({ pool, envelope, queueMs, body: this.#outgoing(), onEvents });
  }

  /** Sends a message. Returns false if too many bytes wait: send no more before `drained`. */
  send(message: Message): boolean {
    if (this.#closed) return true;
    this.#waiting.push(message);
    this.#waitingBytes += weightOf(message);
    if (this.#waitingBytes > maxSessionWaiting)
      this.#end(
        new GatewayError(
          'overloaded',
          `More than ${maxSessionWaiting / 2 ** 20} MiB of messages wait to be sent. Send them more slowly.`,
        ),
      );
    this.#more?.resolve();
    return this.#waitingBytes < enoughWaiting;
  }

  /** Resolves when more messages may be sent, or when the session is over. */
  get drained(): Promise<void> {
    if (this.#waitingBytes < enoughWaiting || this.#closed) return Promise.resolve();
    this.#drained ??= Promise.withResolvers();
    return this.#drained.promise;
  }

  /** Returns credit for messages that the client took. */
  consumed(weight: number): void {
    this.#call.consumed(weight);
  }

  /** Sends the waiting messages, then ends this direction. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Ends the session at once, at the worker too. */
  cancel(): void {
    this.close();
    this.#call.cancel();
  }

  async *#outgoing(): AsyncGenerator<Message, void> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message) {
        yield message;
        this.#waitingBytes -= weightOf(message);
        if (this.#waitingBytes < enoughWaiting) this.#release();
      } else if (this.#closed) {
        return;
      } else {
        this.#more = Promise.withResolvers();
        await this.#more.promise;
      }
    }
  }

  #read(events: readonly GenerateEvent[], weight: number): void {
    this.#weight += weight;
    for (const event of events) {
      if (event.type === 'verbatim') {
        this.#parts.push(event.bytes);
        if (!event.partial) this.#message(event.text === true);
      } else if (event.type === 'start') {
        this.#request.onStart?.();
      } else if (event.type === 'finish') {
        this.close();
        this.#request.onEnd(undefined, event.closed);
      } else if (event.type === 'error') {
        this.close();
        this.#request.onEnd(fromErrorEvent(event));
      }
    }
  }

  #message(text: boolean): void {
    const [only] = this.#parts;
    const data = this.#parts.length === 1 ? (only as Uint8Array) : Buffer.concat(this.#parts);
    const weight = this.#weight + pieceOverhead;
    this.#parts = [];
    this.#weight = 0;
    this.#request.onMessage({ data, text }, weight);
  }

  #end(error: GatewayError): void {
    this.cancel();
    this.#request.onEnd(error);
  }

  #wake(): void {
    this.#more?.resolve();
    this.#release();
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

/** The weight of a message against {@link maxSessionWaiting}, in bytes. */
export function weightOf({ data }: Message): number {
  return data.length + pieceOverhead;
}
