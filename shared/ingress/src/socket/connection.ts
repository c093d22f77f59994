import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Token } from '@model-gateway/access';
import type { Faults } from '@model-gateway/bus';
import { type GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { WebSocket } from 'ws';
import type { Reservation } from '../memory/budgets.ts';
import { IncomingMessages, type MessageHandler } from './incoming-messages.ts';
import { countedFrom, type MessageLimits, MessageWatch } from './message-watch.ts';

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
  readonly #faults: Faults;
  readonly #closed = new Set<(code: number) => void>();
  #handler: MessageHandler | undefined;
  #incoming: IncomingMessages | undefined;
  #watch: MessageWatch | undefined;
  /** Memory of what the client has not taken. */
  #unsent: Reservation | undefined;
  #counted = 0;
  /** Ends the connection with an error. */
  #end: ((error: GatewayError) => void) | undefined;
  #alive = true;
  #read = 0;

  constructor(
    socket: WebSocket,
    request: IncomingMessage,
    { token, tokenHash }: Identified,
    client: string,
    { clock, faults }: { clock: Clock; faults: Faults },
  ) {
    this.#clock = clock;
    this.#faults = faults;
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
      this.#unsent?.release();
      // A client that closed the connection had its last messages handled.
      if (code === 1006) this.#incoming?.end();
      for (const closed of this.#closed) faults.run('session', () => closed(code));
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
    if (!this.open) return;
    if (this.waiting + data.length <= countedFrom) {
      this.#socket.send(data, { binary: !text }, taken);
      return;
    }
    this.#socket.send(data, { binary: !text }, () => {
      taken();
      this.#countUnsent();
    });
    this.#countUnsent();
  }

  close(code: number, reason = ''): void {
    this.#incoming?.end();
    // The client's close frame must be read.
    if (this.#watch) this.#watch.readAll();
    else this.#socket.resume();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Sets the handler of the client's messages. */
  onMessage(handler: MessageHandler): void {
    this.#handler = handler;
  }

  /** Resolves when the messages that the client has sent so far are handled. */
  get handled(): Promise<void> {
    return this.#incoming?.handled ?? Promise.resolve();
  }

  /**
   * Passes the client's messages to the handler. Those that wait or are not complete, and what the client has not taken,
   * count for its token's share of bodies; messages have a rate and a time. `end` reports a violation to the client and
   * closes the connection; further data is discarded.
   */
  boundMessages(limits: MessageLimits, share: Reservation, end: (error: GatewayError) => void): void {
    const failed = (error: GatewayError) => {
      this.#end = undefined;
      end(error);
      this.#line.removeAllListeners('data').resume();
      this.#terminateSoon();
    };
    const incoming = new IncomingMessages(this.#handler as MessageHandler, share, {
      tokenId: this.token.id,
      drained: () => this.drained(),
      handled: () => watch.goOn(),
      faults: this.#faults,
    });
    const watch = new MessageWatch(this.#socket, this.#line, limits, share.part(), incoming, failed);
    this.#socket.on('message', (data, isBinary) =>
      this.#faults.run('session', () => incoming.push(ownMemory(data as Buffer), !isBinary)),
    );
    this.#incoming = incoming;
    this.#watch = watch;
    this.#unsent = share.part();
    this.#end = failed;
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

  /** Counts what the client has not taken, and ends the connection if its token's share has no room for it. */
  #countUnsent(): void {
    const bytes = this.waiting > countedFrom ? this.waiting : 0;
    try {
      if (bytes > this.#counted) this.#unsent?.take(bytes - this.#counted);
      else this.#unsent?.give(this.#counted - bytes);
      this.#counted = bytes;
    } catch (thrown) {
      this.#end?.(toGatewayError(thrown));
    }
  }

  #terminateSoon(): void {
    this.#clock.setTimeout(() => this.#socket.terminate(), faultMs).unref();
  }

  /**
   * Terminates the connection if the client sent neither a pong nor data since the last ping. While nothing is read, a ping only
   * shows if the client is gone: it cannot be sent then.
   */
  #ping(): void {
    if (this.#socket.isPaused) {
      this.#alive = true;
      return this.#socket.ping();
    }
    const { bytesRead } = this.#line;
    if (!this.#alive && bytesRead === this.#read) return this.#socket.terminate();
    this.#read = bytesRead;
    this.#alive = false;
    this.#socket.ping();
  }
}

/** Returns the bytes in memory of their own: a small message would keep all that was read with it. */
function ownMemory(data: Buffer): Buffer {
  return data.buffer.byteLength > 2 * data.length ? Buffer.from(data) : data;
}
