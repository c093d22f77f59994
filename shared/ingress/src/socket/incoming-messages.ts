import type { Faults } from '@model-gateway/bus';
import { type GatewayError, toGatewayError } from '@model-gateway/canonical';
import { nextTurn } from '@model-gateway/service';
import type { Reservation } from '../memory/budgets.ts';

/** The most messages of a client that wait to be handled, with the one that is being handled. */
export const maxWaitingMessages = 64;
/** Bytes of waiting messages from which no more are read. */
export const enoughWaiting = 1024 * 1024;
/** Bytes that a message counts in its token's share beside its own. */
export const messageOverhead = 1024;

/** The handler of a client's messages. */
export interface MessageHandler {
  /**
   * Handles a message; the next one is handled when this has resolved. `held` is the message's memory, which is released
   * then, or by the handler before. A thrown error refuses the message.
   */
  handle(data: Buffer, text: boolean, held: Reservation): void | Promise<void>;
  /** Tells the client that a message was refused. */
  refuse(error: GatewayError): void;
}

interface Waiting {
  data: Buffer;
  text: boolean;
  held: Reservation;
}

/** The client whose messages are handled. */
interface Client {
  tokenId: string;
  /** Resolves when the client has taken what was sent to it. */
  drained(): Promise<void>;
  /** Called when a message was handled. */
  handled(): void;
  /** Takes what the handler throws. */
  faults: Faults;
}

/**
 * The messages of one client that wait to be handled: in order, each in a turn of the event loop, and none while the client
 * does not take its answers. They count for the token's share.
 */
export class IncomingMessages {
  readonly #handler: MessageHandler;
  readonly #share: Reservation;
  readonly #client: Client;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #handling: Promise<void> | undefined;
  #over = false;

  constructor(handler: MessageHandler, share: Reservation, client: Client) {
    this.#handler = handler;
    this.#share = share;
    this.#client = client;
  }

  /** Number of the messages that wait or are being handled. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** True while no further message should be read. */
  get full(): boolean {
    return this.#waiting.length >= maxWaitingMessages || this.#bytes >= enoughWaiting;
  }

  /** Resolves when the messages that wait are handled. */
  get handled(): Promise<void> {
    return this.#handling ?? Promise.resolve();
  }

  /** Takes a message, or refuses it if its token's share has no room. */
  push(data: Buffer, text: boolean): void {
    if (this.#over) return;
    const held = this.#share.part();
    try {
      held.take(data.length + messageOverhead);
    } catch (thrown) {
      return this.#handler.refuse(toGatewayError(thrown));
    }
    this.#waiting.push({ data, text, held });
    this.#bytes += data.length;
    this.#handling ??= this.#handleAll(data.length);
  }

  /** Drops the messages that wait, and all later ones. */
  end(): void {
    this.#over = true;
  }

  /** `weight`: the size of the first message, which may be handled at once. Each further one has a turn of its own. */
  async #handleAll(weight: number | undefined): Promise<void> {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (!this.#over) await this.#handle(next, weight);
      this.#waiting.shift();
      this.#bytes -= next.data.length;
      next.held.release();
      weight = undefined;
      this.#client.handled();
    }
    this.#handling = undefined;
  }

  async #handle({ data, text, held }: Waiting, weight: number | undefined): Promise<void> {
    const { tokenId, drained } = this.#client;
    await nextTurn(weight, tokenId, 'first');
    await drained();
    if (this.#over) return;
    const { faults } = this.#client;
    try {
      await this.#handler.handle(data, text, held);
    } catch (thrown) {
      faults.report('session', thrown);
      faults.run('session', () => this.#handler.refuse(toGatewayError(thrown)));
    }
  }
}
