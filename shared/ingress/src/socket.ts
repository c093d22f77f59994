import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Access, hashSecret, type TokenRecord } from '@model-gateway/access';
import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { ClientAddress } from '@model-gateway/service';
import { WebSocketServer } from 'ws';
import { type Ingress, noRoute } from './app.ts';
import { Connection, type Identified } from './connection.ts';
import type { IngressDeps } from './deps.ts';
import type { Endpoint, RenderedError } from './endpoint.ts';
import type { PaceLimits } from './pace.ts';
import { createRequestId } from './request-id.ts';

/** Counts a WebSocket for its token. @throws GatewayError of kind `rate-limited` where that has as many as it may */
export type CountSocket = (token: TokenRecord) => void;

/** A path on which clients speak over a WebSocket. */
export interface SocketEndpoint extends Pick<Endpoint, 'path' | 'renderError'> {
  /** The largest message, in bytes; one that is larger than its token's share of bodies is refused as well. */
  messageBytes: number;
  /** The subprotocol that is chosen where a client offers some: no other is ever named to it. */
  protocol?: string;
  /** The origins of web pages that may connect; all where absent. A client that is no page names none. */
  origins?: readonly string[];
  /**
   * Lets a client in, once everything stands that it is to speak with: until then its upgrade is not answered, and what
   * this throws is answered over HTTP in its place. `count` is to be called as soon as the token is known.
   * `signal` aborts if the client leaves.
   */
  admit(
    request: IncomingMessage,
    requestId: string,
    count: CountSocket,
    signal: AbortSignal,
  ): Promise<Admission>;
}

/** A client that was let in. */
export interface Admission extends Identified {
  /** Talks to it; what is returned tells it why, and closes, where its token may ask no more or it is over a bound. */
  serve(connection: Connection): (reason: GatewayError) => void;
  /** It is gone before it was talked to. */
  abandon?(): void;
}

/** Whose a token's secret is. @throws GatewayError of kind `unauthenticated` */
export function identifySecret(access: Access, secret: string | undefined): Identified {
  return { token: access.check(secret, Date.now()), tokenHash: hashSecret(secret as string) };
}

/** Takes WebSockets of one path; all others are refused. */
export class Sockets {
  readonly #endpoint: SocketEndpoint;
  readonly #access: Access;
  readonly #clientAddress: ClientAddress;
  readonly #shares: IngressDeps['shares'];
  readonly #held: IngressDeps['held'];
  readonly #pace: PaceLimits;
  readonly #server: WebSocketServer;
  readonly #ids = new WeakMap<IncomingMessage, string>();

  constructor(endpoint: SocketEndpoint, { parts, pace }: Pick<Ingress, 'parts' | 'pace'>) {
    const { access, shares, held, clientAddress } = parts;
    this.#endpoint = endpoint;
    this.#access = access;
    this.#shares = shares;
    this.#held = held;
    this.#pace = pace;
    this.#clientAddress = clientAddress;
    const { messageBytes, protocol } = endpoint;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: Math.min(messageBytes, shares.bodies.limit),
      perMessageDeflate: false,
      handleProtocols: offered => protocol !== undefined && offered.has(protocol) && protocol,
    });
    this.#server.on('wsClientError', (error, socket, request) => {
      const refusal = new GatewayError('invalid-request', `The handshake cannot be read: ${error.message}.`);
      const requestId = this.#ids.get(request) ?? createRequestId();
      refuse(socket, requestId, this.#endpoint.renderError(refusal, requestId, request));
    });
    this.#server.on('headers', (headers, request) =>
      headers.push(`x-request-id: ${this.#ids.get(request) ?? createRequestId()}`),
    );
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    void this.#upgrade(request, socket, head);
  }

  /** Tells clients to come back to another process. */
  close(): void {
    for (const socket of this.#server.clients) socket.close(1012, 'restart');
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const requestId = createRequestId();
    this.#ids.set(request, requestId);
    const client = this.#clientAddress(request);
    const waiting = new Waiting(socket);
    let admission: Admission | undefined;
    let release = () => {};
    const count: CountSocket = token => {
      release = this.#shares.sockets.open(token.id);
    };
    try {
      this.#check(request);
      admission = await this.#endpoint.admit(request, requestId, count, waiting.signal);
      // It may have been revoked meanwhile.
      this.#access.checkHash(admission.tokenHash, Date.now());
      const begun = Buffer.concat([head, ...waiting.over()]);
      this.#answer(admission, client, request, socket, begun, release);
    } catch (thrown) {
      admission?.abandon?.();
      release();
      refuse(socket, requestId, this.#endpoint.renderError(toGatewayError(thrown), requestId, request));
    }
  }

  /** What is wrong with an upgrade, whoever asks for it. @throws GatewayError */
  #check({ url = '/', method, httpVersion, headers }: IncomingMessage): void {
    const { path, origins } = this.#endpoint;
    const asked = url.split('?')[0] as string;
    if (asked !== path) throw noRoute(`upgrade of ${asked}`, []);
    const { origin, 'sec-websocket-key': key, 'sec-websocket-version': version = '' } = headers;
    const asks = method === 'GET' && httpVersion === '1.1' && /^[+/0-9a-z]{22}==$/i.test(key ?? '');
    if (!asks || !['8', '13'].includes(version))
      throw new GatewayError('invalid-request', 'The request is not a WebSocket handshake of version 13.');
    if (origin !== undefined && origins && !origins.includes(origin))
      throw new GatewayError('forbidden', 'Pages of this origin may not connect.', {
        code: 'origin_not_allowed',
      });
  }

  /** The library refuses a handshake even now that offers a subprotocol twice. */
  #answer(
    admission: Admission,
    client: string,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    release: () => void,
  ): void {
    let accepted = false;
    this.#server.handleUpgrade(request, socket, head, opened => {
      accepted = true;
      const connection = new Connection(opened, request, admission, client);
      connection.onClose(release);
      this.#accept(admission, connection);
    });
    if (accepted) return;
    admission.abandon?.();
    release();
  }

  #accept(admission: Admission, connection: Connection): void {
    const end = admission.serve(connection);
    connection.boundMessages(this.#pace, this.#held.share(connection.token.id), end);
    connection.onClose(this.#access.hold(connection.token, end));
  }
}

/** A client that leaves its end open is not waited for. */
function refuse(socket: Duplex, requestId: string, { status, body, retryAfterMs }: RenderedError): void {
  const text = JSON.stringify(body);
  const retry =
    retryAfterMs === undefined ? '' : `retry-after: ${Math.max(1, Math.ceil(retryAfterMs / 1_000))}\r\n`;
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\nx-request-id: ${requestId}\r\n${retry}`;
  socket.once('finish', () => socket.destroy());
  socket.end(`${head}content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`);
}

/** The most bytes that are read of a client that should say nothing yet. */
export const maxEarlyBytes = 64 * 1024;

/** A client's socket while its upgrade is not answered. It is read, for only who reads sees that a client has left. */
class Waiting {
  readonly #socket: Duplex;
  readonly #left = new AbortController();
  readonly #early: Buffer[] = [];
  #size = 0;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#left.abort());
    socket.on('end', this.#leave);
    socket.on('data', this.#keep);
  }

  /** Aborts when the client is gone. */
  get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** What it has said too early; from here on somebody else must read, at once. */
  over(): Buffer[] {
    this.#socket.off('data', this.#keep);
    this.#socket.off('end', this.#leave);
    this.#socket.resume();
    return this.#early;
  }

  readonly #leave = () => void this.#socket.destroy();

  readonly #keep = (data: Buffer) => {
    this.#early.push(data);
    this.#size += data.length;
    if (this.#size > maxEarlyBytes) this.#socket.pause();
  };
}
