import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TokenRecord } from '@model-gateway/access';
import type { GatewayError } from '@model-gateway/canonical';
import type { WebSocket } from 'ws';
import type { Reservation } from './memory-budget.ts';
import { MessageWatch } from './message-watch.ts';
import type { PaceLimits } from './pace.ts';

/** The time between two looks for whether the client is still there, in milliseconds. */
export const socketPingMs = 20_000;
/** More than this, that the client has not taken, is a reason to wait. */
const highWater = 256 * 1024;
const drainLookMs = 50;
/** The longest that a client that broke the protocol, or sent a message over its bounds, may take to hear of it. */
const faultMs = 1_000;

/** Whose a credential is. */
export interface Identified {
  token: TokenRecord;
  /** Of the token's secret. */
  tokenHash: string;
}

/** One client's WebSocket. */
export class Connection {
  readonly token: TokenRecord;
  readonly tokenHash: string;
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  /** The address of the client. */
  readonly client: string;
  readonly #socket: WebSocket;
  readonly #line: Socket;
  readonly #closed = new Set<(code: number) => void>();
  #alive = true;
  #read = 0;

  constructor(socket: WebSocket, request: IncomingMessage, { token, tokenHash }: Identified, client: string) {
    this.#socket = socket;
    this.#line = request.socket;
    this.token = token;
    this.tokenHash = tokenHash;
    this.headers = request.headers;
    this.url = request.url ?? '/';
    this.client = client;
    // A client that broke the protocol is told so by a close code of its own.
    socket.on('error', () => this.#terminateSoon());
    socket.on('pong', () => {
      this.#alive = true;
    });
    const ping = setInterval(() => this.#ping(), socketPingMs).unref();
    socket.on('close', code => {
      clearInterval(ping);
      for (const closed of this.#closed) closed(code);
    });
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Bytes that the client has not taken. */
  get waiting(): number {
    return this.#socket.bufferedAmount;
  }

  get full(): boolean {
    return this.waiting > highWater;
  }

  /** Sends text, or bytes that may be `text`; `taken` is called when they have left this process, or never will. */
  send(data: string | Uint8Array, { text = typeof data === 'string', taken = () => {} } = {}): void {
    if (this.open) this.#socket.send(data, { binary: !text }, taken);
  }

  /** Reads nothing more of what the client sends, until {@link resume}. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#alive = true;
    this.#socket.resume();
  }

  close(code: number, reason = ''): void {
    // Its answer must be read.
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
   * Bounds each message while it comes, by its token's share of bodies, its pace and its time. `end` tells a client that is over a
   * bound and closes; nothing more is kept of what that still sends.
   */
  boundMessages(limits: PaceLimits, share: Reservation, end: (error: GatewayError) => void): void {
    new MessageWatch(this.#socket, this.#line, limits, share, error => {
      end(error);
      this.#line.removeAllListeners('data').resume();
      this.#terminateSoon();
    });
  }

  /** Has `closed` called with the close code when the connection is gone, unless what it returns was called before. */
  onClose(closed: (code: number) => void): () => void {
    if (this.open) this.#closed.add(closed);
    else setImmediate(closed, 1006);
    return () => this.#closed.delete(closed);
  }

  /** Resolves when the client has taken most of what waits, or is gone. */
  async drained(): Promise<void> {
    while (this.open && this.full) await new Promise(resolve => setTimeout(resolve, drainLookMs));
  }

  #terminateSoon(): void {
    setTimeout(() => this.#socket.terminate(), faultMs).unref();
  }

  /** A client that has to wait is not heard, whether it lives or not; one that sends a large message answers after it. */
  #ping(): void {
    if (this.#socket.isPaused) return;
    const { bytesRead } = this.#line;
    if (!this.#alive && bytesRead === this.#read) return this.#socket.terminate();
    this.#read = bytesRead;
    this.#alive = false;
    this.#socket.ping();
  }
}
