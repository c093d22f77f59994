import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import { type AddressInfo, Server as Listener, type Socket } from 'node:net';
import { Slab } from '@model-gateway/bus';
import { type Clock, systemClock } from '@model-gateway/clock';
import type { Certificate } from './certificate.ts';
import { ChunkedResponse } from './chunked-response.ts';
import type { Connections } from './connections.ts';
import type { UpgradeListener } from './service.ts';

export interface Listening {
  server: Server | SecureServer;
  /** `http://host:port`, or `https:`, with no slash at the end. */
  url: string;
  /** Stops accepting, closes connections after their next response, and resolves when all are closed. */
  drain(): Promise<void>;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/** Connections that may wait to be accepted, for example when a thousand clients reconnect at once. */
const backlog = 4_096;
/** Interval at which a drain closes unused connections, in ms: longer than an edge needs to notice it. */
const unusedMs = 1_500;

/**
 * Time for a client to send a request's headers, in milliseconds: from the start of the connection, or from
 * the first byte of a later request.
 */
export const requestHeadersMs = 30_000;
/** Interval between checks for slow headers, in milliseconds. */
export const slowHeadersLookMs = 5_000;
/** Time that a connection stays open without another request, in milliseconds. */
export const idleConnectionMs = 75_000;
/** Time for a client to complete the TLS handshake, in milliseconds. */
export const tlsHandshakeMs = 10_000;
/** Time for which the rest of a refused request's body is read, in milliseconds. */
export const discardMs = 60_000;

export interface ListenOptions {
  /** Handles WebSocket requests; without it they are handled like other requests. */
  upgrade?: UpgradeListener | undefined;
  /** Enables TLS on the port. */
  certificate?: Certificate | undefined;
  /** Counts and limits the port's connections. */
  connections?: Connections | undefined;
  /** Descriptor of a bound socket, used instead of the address. */
  fd?: number | undefined;
  /** Lets other processes of the same user listen on the port, too; the system spreads connections over them. */
  reusePort?: boolean;
  /** The time of drains; the system's if absent. */
  clock?: Clock;
}

/** Serves requests at an address until it is closed. */
export async function listen(
  handler: RequestListener,
  host: string,
  port: number,
  { upgrade, certificate, connections, fd, reusePort = false, clock = systemClock }: ListenOptions = {},
): Promise<Listening> {
  // The reader of a body limits slow uploads.
  const options = {
    keepAliveTimeout: idleConnectionMs,
    headersTimeout: requestHeadersMs,
    connectionsCheckingInterval: slowHeadersLookMs,
    requestTimeout: 0,
    ServerResponse: ChunkedResponse,
    ...(upgrade && { shouldUpgradeCallback: asksForWebSocket }),
  };
  const server = certificate
    ? createSecureServer(
        { ...options, ...certificate.options, ALPNProtocols: ['http/1.1'], handshakeTimeout: tlsHandshakeMs },
        handler,
      )
    : createServer(options, handler);
  connections?.guard(server, certificate !== undefined);
  server.prependListener('request', toOriginForm);
  if (upgrade) server.on('upgrade', upgrade).prependListener('upgrade', toOriginForm);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (fd === undefined) server.listen({ port, host, backlog, reusePort }, resolve);
    else server.listen({ fd }, backlog, resolve);
  });
  const answers = openAnswers(server);
  lingerAfterLastResponse(server, clock);
  const tcpSockets = server instanceof SecureServer ? rawConnections(server) : [];
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  let draining: Promise<void> | undefined;
  const drain = () => {
    draining ??= closeGently(server, answers, clock);
    return draining;
  };
  return {
    server,
    url: `${certificate ? 'https' : 'http'}://${name}:${address.port}`,
    drain,
    async close() {
      const drained = drain();
      server.closeAllConnections();
      // These include connections in their TLS handshake, which `closeAllConnections` leaves open.
      for (const socket of tcpSockets) socket.destroy();
      await drained;
    },
  };
}

const authority = /^https?:\/\/[^/?#]*/i;

/**
 * Replaces a whole URL in a request line by its path and query. Clients write one for a proxy, and a server must accept it
 * (RFC 9112, 3.2.2).
 */
export function toOriginForm(request: Pick<IncomingMessage, 'url'>): void {
  const { url } = request;
  if (!url || url.startsWith('/') || !authority.test(url)) return;
  const path = url.replace(authority, '');
  request.url = path.startsWith('/') ? path : `/${path}`;
}

/**
 * True for a WebSocket. Other upgrades, such as HTTP/2, are mere offers: the request is answered as it is.
 */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Tracks the TCP connections of a TLS server. */
function rawConnections(server: SecureServer): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Tracks the responses that have not ended. */
function openAnswers(server: Listening['server']): Slab<ServerResponse> {
  const answers = new Slab<ServerResponse>();
  server.prependListener('request', (_request, response) => {
    const place = answers.add(response);
    response.on('close', () => answers.remove(place, response));
  });
  return answers;
}

/**
 * Reads a refused body to its end before the connection is closed, for at most {@link discardMs}. Node closes the
 * connection as soon as its last response is written. Bytes that arrive after that are answered by a TCP reset, which
 * can reach the client before the response does.
 */
function lingerAfterLastResponse(server: Listening['server'], clock: Clock): void {
  /** By connection, the last request that was answered before its body was read. */
  const unread = new WeakMap<Socket, IncomingMessage>();
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    // Runs before Node's own listener, which calls `destroySoon` if this response is the connection's last.
    response.prependListener('finish', () => {
      if (request.complete || request.destroyed || response.statusCode === 408) return;
      const isFirst = !unread.has(socket);
      unread.set(socket, request);
      if (!isFirst) return;
      const destroySoon = socket.destroySoon.bind(socket);
      socket.destroySoon = () => {
        const last = unread.get(socket) as IncomingMessage;
        // The connection was kept, and this is the last response to a later request.
        if (last.complete) return destroySoon();
        socket.end();
        const timer = clock.setTimeout(() => socket.destroy(), discardMs).unref();
        socket.once('close', () => clock.clearTimeout(timer));
        last.once('end', destroySoon);
        last.resume();
      };
    });
  });
}

/**
 * Closes connections by announcing it in a response, and those without a request for a while at once. A
 * client may send a request on an idle connection just as it is closed, and cannot tell whether it was read.
 */
function closeGently(
  server: Listening['server'],
  answers: Iterable<ServerResponse>,
  clock: Clock,
): Promise<void> {
  const markLast = (response: ServerResponse) => {
    response.shouldKeepAlive = false;
  };
  for (const response of answers) markLast(response);
  server.prependListener('request', (_request, response) => markLast(response));
  return new Promise(resolve => {
    const sweep = clock.setInterval(() => server.closeIdleConnections(), unusedMs);
    // `close` of the HTTP server would close idle connections at once.
    Listener.prototype.close.call(server, () => {
      clock.clearInterval(sweep);
      resolve();
    });
  });
}
