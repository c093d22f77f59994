import type { Message, SessionListener } from '@model-gateway/bus';
import { type GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { EndResponse, ResponseLimits } from '@model-gateway/ingress';
import { isJsonObject, parseJsonObject } from '@model-gateway/json';
import { renderErrorEvent } from './render-error.ts';
import type { SessionPeer } from './session-peer.ts';

/** The most responses that a client may have asked for before they begin. Older ones are taken for refused. */
const mostAsked = 8;
/** The most responses that run at once. Older ones are taken for lost. */
const mostRunning = 64;
/** The provider's code for a response that is refused because another one runs. */
const alreadyActive = 'conversation_already_has_active_response';

/**
 * A session at a provider whose responses count for limits. One that the client asks for takes its place before the provider
 * is asked, or is refused by an error event. One that the provider begins by itself counts once it has begun.
 */
export class LimitedSession implements SessionPeer {
  readonly #session: SessionPeer;
  readonly #limits: ResponseLimits;
  /** A message of the client that waits for its place, and those behind it. */
  readonly #waiting: Message[] = [];
  /** Set while messages wait; resolves once they have passed. */
  #passed: PromiseWithResolvers<void> | undefined;
  /** The responses that the client asked for, and that have not begun. */
  readonly #asked: { eventId: unknown; end: EndResponse }[] = [];
  /** By the response's id. */
  readonly #running = new Map<unknown, EndResponse>();
  #listener: SessionListener | undefined;
  #over = false;

  constructor(session: SessionPeer, limits: ResponseLimits) {
    this.#session = session;
    this.#limits = limits;
  }

  listen(listener: SessionListener): void {
    this.#listener = listener;
    this.#session.listen({
      onMessage: (message, weight) => {
        this.#read(message);
        listener.onMessage(message, weight);
      },
      onEnd: (error, closed) => {
        this.#endAll();
        listener.onEnd(error, closed);
      },
    });
  }

  send(message: Message): boolean {
    if (!this.#passed && !this.#asking(message)) return this.#session.send(message);
    this.#waiting.push(message);
    if (!this.#passed) {
      this.#passed = Promise.withResolvers();
      void this.#passWaiting(this.#passed);
    }
    return false;
  }

  get drained(): Promise<void> {
    return this.#passed?.promise ?? this.#session.drained;
  }

  consumed(weight: number): void {
    this.#session.consumed(weight);
  }

  close(): void {
    if (this.#passed) void this.#passed.promise.then(() => this.#session.close());
    else this.#session.close();
  }

  cancel(error?: GatewayError): void {
    this.#endAll();
    this.#session.cancel(error);
  }

  /** Passes the messages that wait, in their order. Those that ask for a response take its place first. */
  async #passWaiting(passed: PromiseWithResolvers<void>): Promise<void> {
    for (let message = this.#waiting.shift(); message; message = this.#waiting.shift()) {
      const event = this.#asking(message);
      if (event && !(await this.#takeSlot(event))) continue;
      if (!this.#session.send(message)) await this.#session.drained;
    }
    this.#passed = undefined;
    passed.resolve();
  }

  /** Returns the event of a message that asks for a response with limits; undefined for any other message. */
  #asking({ data }: Message): Record<string, unknown> | undefined {
    if (this.#over || !this.#limits.apply() || !mayAsk(data)) return undefined;
    const event = parseJsonObject(data);
    return event?.type === 'response.create' ? event : undefined;
  }

  /** Takes the place of a response. Returns false if it was refused, which the client was told. */
  async #takeSlot({ event_id: eventId }: Record<string, unknown>): Promise<boolean> {
    try {
      const end = await this.#limits.take();
      if (this.#over) end(null);
      else this.#asked.push({ eventId, end });
      if (this.#asked.length > mostAsked) this.#asked.shift()?.end(null);
      return true;
    } catch (thrown) {
      const text = renderErrorEvent(toGatewayError(thrown), typeof eventId === 'string' ? eventId : null);
      if (!this.#over) this.#listener?.onMessage({ data: Buffer.from(text), text: true }, 0);
      return false;
    }
  }

  /** Reads a message of the provider: the beginning or end of a response, or an error. */
  #read({ data }: Message): void {
    if (this.#asked.length + this.#running.size === 0 && !this.#limits.apply()) return;
    if (!mayMatter(data, this.#asked.length > 0)) return;
    const { type, response, error } = parseJsonObject(data) ?? {};
    if (type === 'response.created' && isJsonObject(response)) this.#began(response.id);
    if (type === 'response.done' && isJsonObject(response)) this.#ended(response);
    if (type === 'error' && isJsonObject(error)) this.#refused(error);
  }

  #began(id: unknown): void {
    if (this.#running.has(id)) return;
    this.#running.set(id, this.#asked.shift()?.end ?? this.#limits.count());
    const [oldest] = this.#running.keys();
    if (this.#running.size > mostRunning) this.#end(oldest, null);
  }

  #ended({ id, usage }: Record<string, unknown>): void {
    const { input_tokens: input, output_tokens: output } = isJsonObject(usage) ? usage : {};
    const isKnown = typeof input === 'number' && typeof output === 'number';
    this.#end(id, isKnown ? { input, output } : null);
  }

  #end(id: unknown, usage: Parameters<EndResponse>[0]): void {
    this.#running.get(id)?.(usage);
    this.#running.delete(id);
  }

  /** Frees the place of a response that the provider refused. */
  #refused({ event_id: eventId, code }: Record<string, unknown>): void {
    const at = eventId == null ? -1 : this.#asked.findIndex(asked => asked.eventId === eventId);
    if (at >= 0) this.#asked.splice(at, 1)[0]?.end(null);
    else if (eventId == null && code === alreadyActive) this.#asked.shift()?.end(null);
  }

  #endAll(): void {
    this.#over = true;
    for (const { end } of this.#asked.splice(0)) end(null);
    for (const id of [...this.#running.keys()]) this.#end(id, null);
  }
}

/** False if a client's message, audio in most cases, cannot be `response.create`, however its text is escaped. */
function mayAsk(data: Uint8Array): boolean {
  const text = bufferOf(data);
  return text.includes('response.create') || text.includes('\\u');
}

/** False if a provider's message is no event that `#read` reads. */
function mayMatter(data: Uint8Array, mayBeRefused: boolean): boolean {
  const text = bufferOf(data);
  return (
    text.includes('"response.created"') ||
    text.includes('"response.done"') ||
    (mayBeRefused && text.includes('"error"'))
  );
}

function bufferOf(data: Uint8Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
