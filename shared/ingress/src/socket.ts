import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { hashSecret, type TokenRecord } from '@model-gateway/access';
import { type GatewayError, toGatewayError } from '@model-gateway/canonical';
import { type WebSocket, WebSocketServer } from 'ws';
import { bearerToken } from './credential.ts';
import type { Endpoint, RenderedError } from './endpoint.ts';
import type { Parts } from './parts.ts';
import { createRequestId } from './request-id.ts';

/** How often it is seen whether the client is still there. */
const pingMs = 20_000;
/** More than this, that the client has not taken, is a reason to wait. */
const highWater = 256 * 1024;
const drainLookMs = 50;

/** A path on which clients speak over a WebSocket. */
export interface SocketEndpoint extends Pick<Endpoint, 'path' | 'credential' | 'renderError'> {
  /** The largest message, in bytes. */
  messageBytes: number;
  /** Talks to a client whose token was checked. */
  serve(connection: Connection): void;
  /** What is told of a token that may ask no more. */
  renderEnd(error: GatewayError): string;
}

/** One client's WebSocket. */
export class Connection {
  readonly token: TokenRecord;
  readonly tokenHash: string;
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly #socket: WebSocket;
  #alive = true;

  constructor(socket: WebSocket, request: IncomingMessage, token: TokenRecord, tokenHash: string) {
    this.#socket = socket;
    this.token = token;
    this.tokenHash = tokenHash;
    this.headers = request.headers;
    this.url = request.url ?? '/';
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => {
      this.#alive = true;
    });
    const ping = setInterval(() => {
      if (!this.#alive) return socket.terminate();
      this.#alive = false;
      socket.ping();
    }, pingMs).unref();
    socket.on('close', () => clearInterval(ping));
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

  send(text: string): void {
    if (this.open) this.#socket.send(text);
  }

  close(code: number, reason = ''): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  onMessage(read: (data: Buffer) => void): void {
    this.#socket.on('message', data =>
      read(Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)),
    );
  }

  onClose(closed: () => void): void {
    if (this.open) this.#socket.once('close', closed);
    else setImmediate(closed);
  }

  /** Resolves when the client has taken most of what waits, or is gone. */
  async drained(): Promise<void> {
    while (this.open && this.full) await new Promise(resolve => setTimeout(resolve, drainLookMs));
  }
}

/** Takes WebSockets of one path; all others are refused. */
export class Sockets {
  readonly #endpoint: SocketEndpoint;
  readonly #parts: Parts;
  readonly #server: WebSocketServer;

  constructor(endpoint: SocketEndpoint, parts: Parts) {
    this.#endpoint = endpoint;
    this.#parts = parts;
    const maxPayload = endpoint.messageBytes;
    this.#server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { credential = bearerToken, path, renderError } = this.#endpoint;
    socket.on('error', () => socket.destroy());
    if (request.url?.split('?')[0] !== path) return refuse(socket, { status: 404, body: {} });
    try {
      const secret = credential(request);
      const token = this.#parts.access.check(secret, Date.now());
      this.#server.handleUpgrade(request, socket, head, accepted =>
        this.#accept(new Connection(accepted, request, token, hashSecret(secret as string))),
      );
    } catch (thrown) {
      refuse(socket, renderError(toGatewayError(thrown), createRequestId(), request));
    }
  }

  /** Tells clients to come back to another process. */
  close(): void {
    for (const socket of this.#server.clients) socket.close(1012, 'restart');
  }

  #accept(connection: Connection): void {
    const letGo = this.#parts.access.hold(connection.token, reason => {
      connection.send(this.#endpoint.renderEnd(reason));
      connection.close(1008, 'token');
    });
    connection.onClose(letGo);
    this.#endpoint.serve(connection);
  }
}

function refuse(socket: Duplex, { status, body, retryAfterMs }: RenderedError): void {
  const text = JSON.stringify(body);
  const retry =
    retryAfterMs === undefined ? '' : `retry-after: ${Math.max(1, Math.ceil(retryAfterMs / 1_000))}\r\n`;
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\n${retry}`;
  socket.end(`${head}content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`);
}
