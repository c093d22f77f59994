import {
  type FinishEvent,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  overloaded,
} from '@model-gateway/canonical';
import type { Message } from './body-sender.ts';
import { Fifo } from './incoming-body.ts';
import { pieceOverhead } from './protocol.ts';

/** The most bytes that may wait to be sent; a sender that exceeds them ends its session. */
export const maxSessionWaiting = 32 * 1024 * 1024;
/** Number of waiting bytes from which the sender should pause. */
const enoughWaiting = 256 * 1024;

/** The receiver of a session's messages and of its end. */
export interface SessionListener {
  /** Receives messages in order; return `weight` as credit by {@link Session.consumed}. */
  onMessage(message: Message, weight: number): void;
  /** Called last, with the error or with the upstream's close code. */
  onEnd(error?: GatewayError, closed?: FinishEvent['closed']): void;
}

/** The call that carries a session. */
interface SessionCall {
  /** Returns credit for events that were taken. */
  consumed(weight: number): void;
  /** Ends the call, with the error if the session failed or was cancelled. */
  ended(error?: GatewayError): void;
}

/**
 * Messages in both directions over one call, each direction under credit: {@link Session.body} is the call's body, and
 * {@link Session.write} takes its events. Messages before {@link Session.listen} are held, at most a credit window.
 */
export class Session {
  readonly #first: Message | undefined;
  readonly #opened = Promise.withResolvers<void>();
  readonly #early: ((listener: SessionListener) => void)[] = [];
  #listener: SessionListener | undefined;
  #call: SessionCall | undefined;
  readonly #waiting = new Fifo<Message>();
  #waitingBytes = 0;
  #parts: Uint8Array[] = [];
  #weight = 0;
  #begun = false;
  #closed = false;
  #over = false;
  /** Number of times that the body was read; only the last reader goes on. */
  #readers = 0;
  #more: PromiseWithResolvers<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  /** The body begins with `first`, each time that it is read. */
  constructor(first?: Message) {
    this.#first = first;
    this.#opened.promise.catch(() => {});
  }

  /** Sets the call that carries the session. */
  connect(call: SessionCall): this {
    this.#call = call;
    return this;
  }

  /** Resolves once an upstream has opened the session; rejects if it ends before. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** True once an upstream has opened the session. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Starts the messages, beginning with those that are held. */
  listen(listener: SessionListener): void {
    this.#listener = listener;
    for (const pass of this.#early.splice(0)) pass(listener);
  }

  /** Sends a message. Returns false if too many bytes wait: send no more before `drained`. */
  send(message: Message): boolean {
    if (this.#closed) return true;
    this.#waiting.push(message);
    this.#waitingBytes += weightOf(message);
    if (this.#waitingBytes > maxSessionWaiting)
      this.fail(
        overloaded(
          'session_messages_full',
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
    this.#call?.consumed(weight);
  }

  /** Sends the waiting messages, then ends this direction. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Ends the session at once, at the worker too. `error`: the reason, if it is not that the client left. */
  cancel(error = new GatewayError('cancelled', 'The client left.')): void {
    this.#end(error);
  }

  /** Ends the session with an error. */
  fail(error: GatewayError): void {
    if (this.#over) return;
    this.#end(error);
    this.#pass(listener => listener.onEnd(error));
  }

  /** The messages to send, as the body of a call. A call that fails before the session is open is followed by another. */
  get body(): () => AsyncIterable<Message> {
    return () => this.#outgoing();
  }

  /** Takes the events of the call; `weight` is the credit that they used. */
  write(events: readonly GenerateEvent[], weight: number): void {
    this.#weight += weight;
    for (const event of events) {
      if (this.#over) return;
      if (event.type === 'verbatim') {
        this.#parts.push(event.bytes);
        if (!event.partial) this.#message(event.text === true);
      } else if (event.type === 'start') {
        this.#begun = true;
        this.#opened.resolve();
      } else if (event.type === 'finish') {
        this.#end();
        this.#pass(listener => listener.onEnd(undefined, event.closed));
      } else if (event.type === 'error') {
        this.fail(fromErrorEvent(event));
      }
    }
  }

  async *#outgoing(): AsyncGenerator<Message, void> {
    const reader = ++this.#readers;
    this.#more?.resolve();
    if (this.#first) yield this.#first;
    while (reader === this.#readers) {
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

  #message(text: boolean): void {
    const [only] = this.#parts;
    const data = this.#parts.length === 1 ? (only as Uint8Array) : Buffer.concat(this.#parts);
    const weight = this.#weight + pieceOverhead;
    this.#parts = [];
    this.#weight = 0;
    this.#pass(listener => listener.onMessage({ data, text }, weight));
  }

  #pass(pass: (listener: SessionListener) => void): void {
    if (this.#listener) pass(this.#listener);
    else this.#early.push(pass);
  }

  #end(error?: GatewayError): void {
    if (this.#over) return;
    this.#over = true;
    this.close();
    // No effect on a session that is open.
    this.#opened.reject(error ?? new GatewayError('upstream', 'The session ended before it started.'));
    this.#call?.ended(error);
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
