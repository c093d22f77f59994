import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Token } from '@model-gateway/access';
import type { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { WebSocket } from 'ws';
import type { PaceLimits } from './body.ts';
import type { Reservation } from './budgets.ts';
import { MessageWatch } from './message-watch.ts';

/** Interval of the pings that check if the client is alive, in milliseconds. */
export const socketPingMs = 20_000;
/** Number of unsent bytes above which {@link Connection.drained} waits. */
const highWater = 256 * 1024;
const drainCheckMs = 50;
/** Time between a protocol error or an exceeded limit and the end of the connection, in milliseconds. */
const faultMs = 1_000;

/** The token of a credential. */
export interface Identified {
  token: Token;
  /** Hash of the token's secret. */
  tokenHash: string;
}

/** One client's WebSocket. */
export class Connection {
  readonly token: Token;
  readonly tokenHash: string;
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  /** The address of the client. */
  readonly client: string;
  readonly #socket: WebSocket;
  readonly #line: Socket;
  readonly #clock: Clock;
  readonly #closed = new Set<(code: number) => void>();
  #alive = true;
  #read = 0;

  constructor(
    socket: WebSocket,
    request: IncomingMessage,
    { token, tokenHash }: Identified,
    client: string,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#socket = socket;
    this.#line = request.socket;
    this.token = token;
    this.tokenHash = tokenHash;
    this.headers = request.headers;
    this.url = request.url ?? '/';
    this.client = client;
    // The library sends the close code of a protocol error.
    socket.on('error', () => this.#terminateSoon());
    socket.on('pong', () => {
      this.#alive = true;
    });
    const ping = clock.setInterval(() => this.#ping(), socketPingMs).unref();
    socket.on('close', code => {
      clock.clearInterval(ping);
      for (const closed of this.#closed) closed(code);
    });
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Bytes that the client has not received yet. */
  get waiting(): number {
    return this.#socket.bufferedAmount;
  }

  get full(): boolean {
    return this.waiting > highWater;
  }

  /** Sends text, or bytes as `text` or binary; `taken` is called when they were written or have failed. */
  send(data: string | Uint8Array, { text = typeof data === 'string', taken = () => {} } = {}): void {
    if (this.open) this.#socket.send(data, { binary: !text }, taken);
  }

  /** Stops reading from the client until {@link resume}. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#alive = true;
    this.#socket.resume();
  }

  close(code: number, reason = ''): void {
    // The client's close frame must be read.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  onMessage(read: (data: Buffer, text: boolean) => void): void {
    this.#socket.on('message', (data, isBinary) =>
      read(Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer), !isBinary),
    );
  }

  /**
   * Limits each incoming message by its token's share of bodies, its rate and its time. `end` reports a violation to
   * the client and closes the connection; further data is discarded.
   */
  boundMessages(limits: PaceLimits, share: Reservation, end: (error: GatewayError) => void): void {
    new MessageWatch(this.#socket, this.#line, limits, share, error => {
      end(error);
      this.#line.removeAllListeners('data').resume();
      this.#terminateSoon();
    });
  }

  /** Calls `closed` with the close code when the connection closes. The returned function unsubscribes. */
  onClose(closed: (code: number) => void): () => void {
    if (this.open) this.#closed.add(closed);
    else setImmediate(closed, 1006);
    return () => this.#closed.delete(closed);
  }

  /** Resolves when few unsent bytes are left, or the connection is closed. */
  async drained(): Promise<void> {
    while (this.open && this.full) await this.#clock.sleep(drainCheckMs);
  }

  #terminateSoon(): void {
    this.#clock.setTimeout(() => this.#socket.terminate(), faultMs).unref();
  }

  /** Terminates the connection if the client sent neither a pong nor data since the last ping. Skipped while paused. */
  #ping(): void {
    if (this.#socket.isPaused) return;
    const { bytesRead } = this.#line;
    if (!this.#alive && bytesRead === this.#read) return this.#socket.terminate();
    this.#read = bytesRead;
    this.#alive = false;
    this.#socket.ping();
  }
}
