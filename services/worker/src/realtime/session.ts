import type { AnnouncedAttempt, Message, ServedCall } from '@model-gateway/bus';
import { type Envelope, type FinishEvent, type GatewayError, toErrorEvent } from '@model-gateway/canonical';
import type { Model } from '@model-gateway/catalog';

export interface SessionOptions {
  call: Pick<ServedCall, 'envelope' | 'signal' | 'send' | 'sendMessage' | 'drained' | 'announce'>;
  model: Model;
  messages: AsyncIterable<Message>;
  prepared: Record<string, unknown> | undefined;
}

/** How long a session lasts where its envelope names no end. */
const longestMs = 60 * 60_000;

/**
 * One client's realtime session, as both ways of holding it see it: a bridge to an upstream's session, or an emulation.
 * Nothing is sent before {@link start}; the end is {@link finish} or {@link fail}, and nothing follows it.
 */
export class RealtimeSession {
  /** Who asks for what, and the targets to try in order. */
  readonly envelope: Envelope;
  /** The session's model as the catalog has it. */
  readonly model: Model;
  /** The `session` object that the client's secret was made with, for the session to begin with; undefined for none. */
  readonly prepared: Record<string, unknown> | undefined;
  /** When the gateway ends it at the latest, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly #call: SessionOptions['call'];
  readonly #messages: AsyncIterable<Message>;
  readonly #ended = new AbortController();
  #started = false;

  constructor({ call, model, messages, prepared }: SessionOptions) {
    this.envelope = call.envelope;
    this.model = model;
    this.prepared = prepared;
    this.expiresAt = call.envelope.endsAt ?? Date.now() + longestMs;
    this.#call = call;
    this.#messages = messages;
    if (call.signal.aborted) this.#ended.abort();
    call.signal.addEventListener('abort', () => this.#ended.abort(), { once: true });
  }

  /** Aborts when the session is over, whoever ended it: whatever runs for it is to stop. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether the client's upgrade was answered: from then on no other target can be tried. */
  get started(): boolean {
    return this.#started;
  }

  /**
   * The client's messages in order, to be read once; they end when the client has closed, or is gone.
   * Who does not ask for the next one slows the client.
   */
  messages(): AsyncIterable<Message> {
    return this.#messages;
  }

  /** The session stands: has the client's upgrade answered. */
  start(): void {
    if (this.#started || this.signal.aborted) return;
    this.#started = true;
    this.#call.send([{ type: 'start', id: '', model: this.envelope.model }]);
  }

  /** Sends a message, text or bytes, after those before it; resolves when the client has taken enough for another. */
  async send(data: string | Uint8Array): Promise<void> {
    const text = typeof data === 'string';
    if (!this.offer({ data: text ? Buffer.from(data) : data, text })) await this.drained;
  }

  /** The same of a message that cannot wait: false says that the next one should, for {@link drained}. */
  offer({ data, text }: Message): boolean {
    return this.signal.aborted || this.#call.sendMessage(data, text);
  }

  /** Resolves when the client has taken enough for more to be sent, or is gone. */
  get drained(): Promise<void> {
    return this.#call.drained;
  }

  /** Tells the caller of an attempt at an upstream, before it is made. */
  announce(attempt: AnnouncedAttempt): void {
    this.#call.announce(attempt);
  }

  /** Ends the session in good order: the client's WebSocket is closed with this code. */
  finish(closed: NonNullable<FinishEvent['closed']> = { code: 1000, reason: '' }): void {
    if (this.signal.aborted) return;
    this.#call.send([{ type: 'finish', reason: 'stop', raw: null, usage: null, closed }]);
    this.#ended.abort();
  }

  /**
   * Ends the session: before {@link start} the client is told over HTTP, after it by an error event and a close code that
   * goes with the kind. An error that leaves the session open is an event that is sent like others.
   */
  fail(error: GatewayError): void {
    if (this.signal.aborted) return;
    this.#call.send([toErrorEvent(error)]);
    this.#ended.abort();
  }
}
