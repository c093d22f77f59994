import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Access, hashSecret, type Token, type TokenUse } from '@model-gateway/access';
import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { RenderedError } from '@model-gateway/formats/client';
import type { ClientAddress } from '@model-gateway/service';
import { WebSocketServer } from 'ws';
import type { Endpoint } from '../answer/endpoint.ts';
import type { IngressDeps } from '../process/deps.ts';
import { toServedPath } from '../process/served-path.ts';
import { createRequestId, type Ingress, noRoute } from '../serve/app.ts';
import { Connection, type Identified } from './connection.ts';
import type { MessageLimits } from './message-watch.ts';

/** Counts a WebSocket for its token. @throws GatewayError of kind `rate-limited` if the token has too many */
export type CountSocket = (token: Token) => void;

/** A path that accepts WebSockets. */
export interface SocketEndpoint extends Pick<Endpoint, 'path' | 'renderError'> {
  /** The largest message, in bytes; the token's share of bodies also limits it. */
  messageBytes: number;
  /** The most messages that are read in a second from one client. */
  messagesPerSecond: number;
  /** The subprotocol that is selected if the client offers it. */
  protocol?: string;
  /** The origins of web pages that may connect; all where absent. Clients other than browsers send no origin. */
  origins?: readonly string[];
  /**
   * Admits a client. The upgrade is answered when this resolves; a thrown error is sent as an HTTP response instead.
   * Must call `count` as soon as the token is known. `signal` aborts if the client closes the connection.
   */
  admit(
    request: IncomingMessage,
    requestId: string,
    count: CountSocket,
    signal: AbortSignal,
  ): Promise<Admission>;
}

/** An admitted client. */
export interface Admission extends Identified {
  /** Serves the client. The returned function ends the connection with an error, as when the token is revoked. */
  serve(connection: Connection): (reason: GatewayError) => void;
  /** Called instead of `serve` if the client left during the upgrade. */
  abandon?(): void;
}

/** Looks up the token of a client by the secrets that it sent. @throws GatewayError of kind `unauthenticated`, or `forbidden` if its scopes do not allow the use */
export function identifySecret(
  { access, clock }: Pick<IngressDeps, 'access' | 'clock'>,
  secrets: readonly string[],
  use: TokenUse,
): Identified {
  const now = clock.now();
  const secret = access.choose(secrets, now);
  return { token: access.check(secret, now, use), tokenHash: hashSecret(secret as string) };
}

/** Accepts the WebSockets of one path and refuses all others. */
export class Sockets {
  readonly #endpoint: SocketEndpoint;
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #faults: IngressDeps['faults'];
  readonly #clientAddress: ClientAddress;
  readonly #shares: IngressDeps['shares'];
  readonly #held: IngressDeps['held'];
  readonly #limits: MessageLimits;
  readonly #server: WebSocketServer;
  readonly #ids = new WeakMap<IncomingMessage, string>();

  constructor(endpoint: SocketEndpoint, { parts, pace }: Pick<Ingress, 'parts' | 'pace'>) {
    const { access, clock, faults, shares, held, clientAddress } = parts;
    this.#endpoint = endpoint;
    this.#access = access;
    this.#clock = clock;
    this.#faults = faults;
    this.#shares = shares;
    this.#held = held;
    this.#clientAddress = clientAddress;
    const { messageBytes, messagesPerSecond, protocol } = endpoint;
    this.#limits = { ...pace, messagesPerSecond };
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: Math.min(messageBytes, shares.bodies.limit),
      perMessageDeflate: false,
      handleProtocols: offered => protocol !== undefined && offered.has(protocol) && protocol,
    });
    this.#server.on('wsClientError', (error, socket, request) => {
      const refusal = new GatewayError('invalid-request', `Invalid WebSocket handshake: ${error.message}.`);
      const requestId = this.#ids.get(request) ?? createRequestId();
      refuse(socket, requestId, this.#endpoint.renderError(refusal, requestId, request));
    });
    this.#server.on('headers', (headers, request) =>
      headers.push(`x-request-id: ${this.#ids.get(request) ?? createRequestId()}`),
    );
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgrade(request, socket, head).catch(thrown => {
      this.#faults.report('request', thrown);
      socket.destroy();
    });
  }

  /** Closes all connections with code 1012 (service restart). */
  close(): void {
    for (const socket of this.#server.clients) socket.close(1012, 'restart');
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const requestId = createRequestId();
    this.#ids.set(request, requestId);
    toServedPath(request);
    const client = this.#clientAddress(request);
    const waiting = new PendingUpgrade(socket);
    let admission: Admission | undefined;
    let release = () => {};
    const count: CountSocket = token => {
      release = this.#shares.sockets.open(token.id);
    };
    try {
      this.#check(request);
      admission = await this.#endpoint.admit(request, requestId, count, waiting.signal);
      // The token may have been revoked meanwhile.
      this.#access.checkHash(admission.tokenHash, this.#clock.now());
      const begun = Buffer.concat([head, ...waiting.over()]);
      this.#answer(admission, client, request, socket, begun, release);
    } catch (thrown) {
      admission?.abandon?.();
      release();
      this.#faults.report('request', thrown);
      refuse(socket, requestId, this.#endpoint.renderError(toGatewayError(thrown), requestId, request));
    }
  }

  /** Checks the path, the handshake and the origin of an upgrade. @throws GatewayError */
  #check({ url = '/', method, httpVersion, headers }: IncomingMessage): void {
    const { path, origins } = this.#endpoint;
    const pathname = url.split('?')[0] as string;
    if (pathname !== path) throw noRoute(`upgrade of ${pathname}`, []);
    const { origin, 'sec-websocket-key': key, 'sec-websocket-version': version = '' } = headers;
    const isHandshake = method === 'GET' && httpVersion === '1.1' && /^[+/0-9a-z]{22}==$/i.test(key ?? '');
    if (!isHandshake || !['8', '13'].includes(version))
      throw new GatewayError(
        'invalid-request',
        'The request is not a valid WebSocket handshake of version 13.',
      );
    if (origin !== undefined && origins && !origins.includes(origin))
      throw new GatewayError('forbidden', 'Web pages of this origin are not allowed to connect.', {
        code: 'origin_not_allowed',
      });
  }

  /** Completes the upgrade. The library may still refuse it, as when a subprotocol is offered twice. */
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
      const connection = new Connection(opened, request, admission, client, {
        clock: this.#clock,
        faults: this.#faults,
      });
      connection.onClose(release);
      this.#accept(admission, connection);
    });
    if (accepted) return;
    admission.abandon?.();
    release();
  }

  #accept(admission: Admission, connection: Connection): void {
    const end = admission.serve(connection);
    connection.boundMessages(this.#limits, this.#held.share(connection.token.id), end);
    connection.onClose(this.#access.hold(connection.token, { end }));
  }
}

/** Sends an HTTP error and closes the socket without waiting for the client's end. */
function refuse(
  socket: Duplex,
  requestId: string,
  { status, body, reason, retryAfterMs }: RenderedError,
): void {
  const text = JSON.stringify(body);
  const retry =
    retryAfterMs === undefined ? '' : `retry-after: ${Math.max(1, Math.ceil(retryAfterMs / 1_000))}\r\n`;
  const why = reason ? `x-gateway-reason: ${reason}\r\n` : '';
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\nx-request-id: ${requestId}\r\n${why}${retry}`;
  socket.once('finish', () => socket.destroy());
  socket.end(`${head}content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`);
}

/** The most bytes read from a client before its upgrade is answered. */
export const maxEarlyBytes = 64 * 1024;

/** A client's socket before its upgrade is answered. It is read, since otherwise a disconnect is not noticed. */
class PendingUpgrade {
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

  /** Aborts when the client closes the connection. */
  get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** Stops reading and returns the early data. The next reader must be attached in the same turn. */
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
