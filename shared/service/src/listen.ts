import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as Listener } from 'node:net';
import type { UpgradeListener } from './service.ts';

export interface Listening {
  server: Server;
  /** `http://host:port`, with no slash at the end. */
  url: string;
  /** Takes no more connections, closes those that are there after their next answer, and resolves when all are closed. */
  drain(): Promise<void>;
  /** Cuts what is still open. */
  close(): Promise<void>;
}

/** How long a connection may be unused until it is closed: for longer than an edge needs to see that this process goes. */
const unusedMs = 1_500;

/** Answers requests, and the wish for another protocol by `upgrade`: without it such a request is one like others. */
export async function listen(
  handler: RequestListener,
  host: string,
  port: number,
  upgrade?: UpgradeListener,
): Promise<Listening> {
  // Slow uploads are the business of whoever reads the body; a connection without a request ends after 75 s.
  const server = createServer(
    {
      keepAliveTimeout: 75_000,
      headersTimeout: 60_000,
      requestTimeout: 0,
      ...(upgrade && { shouldUpgradeCallback: asksForWebSocket }),
    },
    handler,
  );
  if (upgrade) server.on('upgrade', upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const answers = openAnswers(server);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  let draining: Promise<void> | undefined;
  const drain = () => {
    draining ??= closeGently(server, answers);
    return draining;
  };
  return {
    server,
    url: `http://${name}:${address.port}`,
    drain,
    async close() {
      const drained = drain();
      server.closeAllConnections();
      await drained;
    },
  };
}

/** Other protocols, such as HTTP/2, are only offered: the request is answered as it is. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The answers that are not at their end. */
function openAnswers(server: Server): Set<ServerResponse> {
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
function closeGently(server: Server, answers: Iterable<ServerResponse>): Promise<void> {
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
