import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Reservation } from '@model-gateway/ingress';
import { isLargeJson, JsonTooLargeError, type Turn, writeInSteps } from '@model-gateway/json';
import type { Backlog } from './backlog.ts';
import { renderError } from './render-failure.ts';

/** The largest event of a session that the gateway holds, in bytes. */
export const maxEvent = 32 * 1024 * 1024;
/** Characters of an event from which it is written in steps, and counts for its token while it is written. */
const largeEvent = 256 * 1024;

/** An event of a session. */
export interface SessionEvent {
  type: string;
  event_id: string;
}

interface EventWriterOptions {
  backlog: Backlog;
  turn: Turn;
  /** Returns an empty reservation in the token's share. */
  share(): Reservation;
  send(data: Buffer): void;
  /** Called if an event could not be written without which the client cannot go on. */
  failed(error: GatewayError): void;
}

/** Writes the events of a session for its client, in order: a large one in steps, once the client has taken those before. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #waiting: SessionEvent[] = [];
  readonly #over = new AbortController();
  #writing = false;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Writes an event, which must not change afterwards. */
  write(event: SessionEvent): void {
    if (!this.#writing && !isLarge(event)) return this.#options.send(bytesOf(event));
    this.#waiting.push(event);
    if (!this.#writing) void this.#writeAll();
  }

  /** @throws GatewayError if an event of so many bytes is too large, or has no room in the token's share */
  check(bytes: number): void {
    if (bytes <= largeEvent) return;
    if (bytes > maxEvent) throw tooLarge();
    const share = this.#options.share();
    try {
      share.take(Math.ceil(bytes));
    } finally {
      share.release();
    }
  }

  /** Writes nothing more. */
  end(): void {
    this.#over.abort();
  }

  async #writeAll(): Promise<void> {
    const { backlog, send } = this.#options;
    this.#writing = true;
    backlog.busy = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (this.#over.signal.aborted) continue;
      if (isLarge(next)) await this.#writeLarge(next);
      else send(bytesOf(next));
    }
    this.#writing = false;
    backlog.busy = false;
  }

  async #writeLarge(event: SessionEvent): Promise<void> {
    const { backlog, turn, send, failed } = this.#options;
    const { signal } = this.#over;
    await backlog.caughtUp();
    const share = this.#options.share();
    try {
      const take = (bytes: number) => share.take(bytes);
      const pieces = await writeInSteps(event, turn, { step: largeEvent, limit: maxEvent, take, signal });
      const data = Buffer.concat(pieces);
      // From here on the client's connection counts it.
      share.release();
      if (!signal.aborted) send(data);
    } catch (thrown) {
      if (signal.aborted) return;
      const error = thrown instanceof JsonTooLargeError ? tooLarge() : toGatewayError(thrown);
      if (event.type === 'conversation.item.retrieved')
        send(bytesOf({ ...renderError(error, null), event_id: event.event_id }));
      else failed(error);
    } finally {
      share.release();
    }
  }
}

function bytesOf(event: SessionEvent): Buffer {
  return Buffer.from(JSON.stringify(event));
}

/** A delta is as large as what the model has sent at once. */
function isLarge(event: SessionEvent): boolean {
  return !('delta' in event) && isLargeJson(event, largeEvent);
}

function tooLarge(): GatewayError {
  const message = `The event would be larger than ${maxEvent / 2 ** 20} MiB: delete the item, or make it smaller.`;
  return new GatewayError('too-large', message, { code: 'event_too_large' });
}
