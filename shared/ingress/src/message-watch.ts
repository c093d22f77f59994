import type { Socket } from 'node:net';
import { type GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { WebSocket } from 'ws';
import { slowMessage } from './body-watch.ts';
import type { Reservation } from './memory-budget.ts';
import { MessageProgress } from './message-progress.ts';
import { lookEachSecond, Pace, type PaceLimits } from './pace.ts';

/** Up to this size a message that is not whole counts for nobody, in bytes. */
export const countedFrom = 64 * 1024;

/**
 * Watches a client's messages while they come: what is here of one that is not whole is taken from its token's share, and has
 * the time and the pace that a body has. A client that sends nothing, or control frames alone, may idle.
 */
export class MessageWatch {
  readonly #socket: WebSocket;
  readonly #line: Socket;
  readonly #limits: PaceLimits;
  readonly #share: Reservation;
  readonly #failed: (error: GatewayError) => void;
  readonly #progress = new MessageProgress();
  readonly #unwatch: () => void;
  #taken = 0;
  #pace: Pace | undefined;

  /** Reads what `line` brings before the library does. `failed` is called at most once. */
  constructor(
    socket: WebSocket,
    line: Socket,
    limits: PaceLimits,
    share: Reservation,
    failed: (error: GatewayError) => void,
  ) {
    this.#socket = socket;
    this.#line = line;
    this.#limits = limits;
    this.#share = share;
    this.#failed = failed;
    this.#line.prependListener('data', this.#read);
    this.#unwatch = lookEachSecond(this);
    socket.on('error', () => this.#stop());
    // Until then the library keeps what it has.
    socket.on('close', () => {
      this.#stop();
      share.release();
    });
  }

  /** Looks once a second. Where this process reads nothing itself, its client is not to blame. */
  look(): void {
    if (!this.#pace || this.#socket.isPaused) return;
    const why = this.#pace.second();
    if (why) this.#fail(slowMessage(why));
  }

  readonly #read = (chunk: Buffer) => {
    if (this.#progress.read(chunk)) this.#whole();
    if (!this.#progress.partial) {
      this.#pace = undefined;
      return;
    }
    this.#pace ??= new Pace(this.#limits);
    this.#pace.add(chunk.length);
    const { held } = this.#progress;
    if (held <= countedFrom) return;
    try {
      this.#share.take(held - this.#taken);
      this.#taken = held;
    } catch (thrown) {
      this.#fail(toGatewayError(thrown));
    }
  };

  /** From here on it is counted by whoever handles it. */
  #whole(): void {
    this.#share.release();
    this.#taken = 0;
    this.#pace = undefined;
  }

  #fail(error: GatewayError): void {
    this.#stop();
    this.#failed(error);
  }

  #stop(): void {
    this.#unwatch();
    this.#line.off('data', this.#read);
  }
}
