import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import { type AddressInfo, Server as Listener, type Socket } from 'node:net';
import type { Certificate } from './certificate.ts';
import type { Connections } from './connections.ts';
import type { UpgradeListener } from './service.ts';

export interface Listening {
  server: Server | SecureServer;
  /** `http://host:port`, or `https:`, with no slash at the end. */
  url: string;
  /** Takes no more connections, closes those that are there after their next answer, and resolves when all are closed. */
  drain(): Promise<void>;
  /** Cuts what is still open. */
  close(): Promise<void>;
}

/** How many connections may wait to be taken, as where a thousand clients come back at once. */
const backlog = 4_096;
/** The longest that a connection may be unused until it is closed: for longer than an edge needs to see that this process goes. */
const unusedMs = 1_500;

/** The longest that a client may take to send a request's headers, from its connection on or from the first byte of a later request, in milliseconds. */
export const requestHeadersMs = 30_000;
/** The time between two looks for slow ones, in milliseconds. */
export const slowHeadersLookMs = 5_000;
/** The time for which a connection that has had a request stays open without another, in milliseconds. */
export const idleConnectionMs = 75_000;
/** The longest that a client may take to agree on TLS, in milliseconds. */
export const tlsHandshakeMs = 10_000;

export interface ListenOptions {
  /** Answers those who wish for a WebSocket; without it such a request is one like others. */
  upgrade?: UpgradeListener | undefined;
  /** Has the port speak TLS. */
  certificate?: Certificate | undefined;
  /** Counts and limits the port's connections. */
  connections?: Connections | undefined;
  /** The descriptor of a bound socket, in place of the address. Processes that share the socket accept from one queue. */
  fd?: number | undefined;
}

/** Answers requests at an address until it is closed. */
export async function listen(
  handler: RequestListener,
  host: string,
  port: number,
  { upgrade, certificate, connections, fd }: ListenOptions = {},
): Promise<Listening> {
  // Slow uploads are the business of whoever reads the body; a connection that has had a request ends after a while without one.
  const options = {
    keepAliveTimeout: idleConnectionMs,
    headersTimeout: requestHeadersMs,
    connectionsCheckingInterval: slowHeadersLookMs,
    requestTimeout: 0,
    ...(upgrade && { shouldUpgradeCallback: asksForWebSocket }),
  };
  const server = certificate
    ? createSecureServer(
        { ...options, ...certificate.options, ALPNProtocols: ['http/1.1'], handshakeTimeout: tlsHandshakeMs },
        handler,
      )
    : createServer(options, handler);
  connections?.guard(server, certificate !== undefined);
  if (upgrade) server.on('upgrade', upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (fd === undefined) server.listen({ port, host, backlog }, resolve);
    else server.listen({ fd }, backlog, resolve);
  });
  const answers = openAnswers(server);
  // No browser may guess that an answer is a page or a script.
  server.prependListener('request', (_request, response) =>
    response.setHeader('x-content-type-options', 'nosniff'),
  );
  const shaking = server instanceof SecureServer ? rawConnections(server) : [];
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  let draining: Promise<void> | undefined;
  const drain = () => {
    draining ??= closeGently(server, answers);
    return draining;
  };
  return {
    server,
    url: `${certificate ? 'https' : 'http'}://${name}:${address.port}`,
    drain,
    async close() {
      const drained = drain();
      server.closeAllConnections();
      // Those that are not through with their handshake are not among them.
      for (const socket of shaking) socket.destroy();
      await drained;
    },
  };
}

/** Other protocols, such as HTTP/2, are only offered: the request is answered as it is. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The connections under TLS. */
function rawConnections(server: SecureServer): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** The answers that are not at their end. */
function openAnswers(server: Listening['server']): Set<ServerResponse> {
  const answers = new Set<ServerResponse>();
  server.prependListener('request', (_request, response) => {
    answers.add(response);
    response.on('close', () => answers.delete(response));
  });
  return answers;
}

/**
 * A client may send a request on a connection that it keeps alive just when that is closed, and cannot tell whether
 * it was read. So connections are closed by saying so in an answer; those alone that see none for a while, without.
 */
function closeGently(server: Listening['server'], answers: Iterable<ServerResponse>): Promise<void> {
  const sayLast = (response: ServerResponse) => {
    response.shouldKeepAlive = false;
  };
  for (const response of answers) sayLast(response);
  server.prependListener('request', (_request, response) => sayLast(response));
  return new Promise(resolve => {
    const sweep = setInterval(() => server.closeIdleConnections(), unusedMs);
    // The HTTP server's own `close` cuts idle connections at once.
    Listener.prototype.close.call(server, () => {
      clearInterval(sweep);
      resolve();
    });
  });
}
