import type { AttemptTarget, Message, ServedCall } from '@model-gateway/bus';
import { type Envelope, type FinishEvent, type GatewayError, toErrorEvent } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';

interface SessionOptions {
  call: Pick<ServedCall, 'envelope' | 'signal' | 'send' | 'sendMessage' | 'drained' | 'announce'>;
  messages: AsyncIterable<Message>;
  prepared: Record<string, unknown> | undefined;
  clock: Pick<Clock, 'now'>;
}

/** Duration of a session whose envelope has no end. */
const longestMs = 60 * 60_000;

/** One client's realtime session. Nothing is sent before {@link start}, nor after {@link finish} or {@link fail}. */
export class RealtimeSession {
  readonly envelope: Envelope;
  /** The initial `session` object, from the client secret; undefined if there is none. */
  readonly prepared: Record<string, unknown> | undefined;
  /** The end of the session at the latest, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly #call: SessionOptions['call'];
  readonly #messages: AsyncIterable<Message>;
  readonly #ended = new AbortController();
  #started = false;

  constructor({ call, messages, prepared, clock }: SessionOptions) {
    this.envelope = call.envelope;
    this.prepared = prepared;
    this.expiresAt = call.envelope.endsAt ?? clock.now() + longestMs;
    this.#call = call;
    this.#messages = messages;
    const { signal } = call;
    if (signal.aborted) this.#ended.abort(signal.reason);
    signal.addEventListener('abort', () => this.#ended.abort(signal.reason), { once: true });
  }

  /** Aborts when the session is over, whichever side ended it. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** True if the client's upgrade was answered: from then on no other target can be tried. */
  get started(): boolean {
    return this.#started;
  }

  /**
   * Returns the client's messages in order, to be read once; they end when the client has closed or is gone.
   * A slow reader slows the client.
   */
  messages(): AsyncIterable<Message> {
    return this.#messages;
  }

  /** Opens the session: the client's upgrade is answered. */
  start(): void {
    if (this.#started || this.signal.aborted) return;
    this.#started = true;
    this.#call.send([{ type: 'start', id: '', model: '' }]);
  }

  /** Sends a text or binary message; resolves when the client has room for another. */
  async send(data: string | Uint8Array): Promise<void> {
    const text = typeof data === 'string';
    if (!this.offer({ data: text ? Buffer.from(data) : data, text })) await this.drained;
  }

  /** Sends a message without waiting; returns false if the next one should wait for {@link drained}. */
  offer({ data, text }: Message): boolean {
    return this.signal.aborted || this.#call.sendMessage(data, text);
  }

  /** Resolves when the client has room for more, or is gone. */
  get drained(): Promise<void> {
    return this.#call.drained;
  }

  /** Announces an attempt to the caller before it is made, and returns its id. */
  announce(target: AttemptTarget): string {
    return this.#call.announce(target);
  }

  /** Ends the session without an error: the client's WebSocket is closed with this code. */
  finish(closed: NonNullable<FinishEvent['closed']> = { code: 1000, reason: '' }): void {
    if (this.signal.aborted) return;
    this.#call.send([{ type: 'finish', reason: 'stop', raw: null, usage: null, closed }]);
    this.#ended.abort();
  }

  /**
   * Ends the session with an error: before {@link start} over HTTP, after it by an error event and the
   * close code of its kind. An error that leaves the session open is sent as an ordinary event.
   */
  fail(error: GatewayError): void {
    if (this.signal.aborted) return;
    this.#call.send([toErrorEvent(error)]);
    this.#ended.abort();
  }
}
