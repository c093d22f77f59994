import type { Socket } from 'node:net';
import { type GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { WebSocket } from 'ws';
import { lookEachSecond, Pace, type PaceLimits, slowMessage } from './body.ts';
import type { Reservation } from './budgets.ts';
import { MessageProgress } from './message-progress.ts';

/** Bytes from which an incomplete message counts for its token. */
export const countedFrom = 64 * 1024;

/**
 * Limits a client's WebSocket messages while they arrive: an incomplete message is reserved in its token's share, and
 * has the time and rate limits of a body. A client that sends nothing, or only control frames, may idle.
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

  /** Reads the data of `line` before the WebSocket library does. `failed` is called at most once. */
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
    this.#unwatch = lookEachSecond(this, limits.clock);
    socket.on('error', () => this.#stop());
    // Until then the library holds the message's memory.
    socket.on('close', () => {
      this.#stop();
      share.release();
    });
  }

  /** Called once a second. Time in which this process itself pauses reading does not count. */
  look(): void {
    if (!this.#pace || this.#socket.isPaused) return;
    const violation = this.#pace.second();
    if (violation) this.#fail(slowMessage(violation));
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

  /** Releases the reservation: the handler of the message counts it from here on. */
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
