import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  server: Server;
  /** `http://host:port`, with no slash at the end. */
  url: string;
  /** Takes no more connections, closes idle ones, and resolves when the last request has ended. */
  drain(): Promise<void>;
  /** Cuts what is still open. */
  close(): Promise<void>;
}

export async function listen(handler: RequestListener, host: string, port: number): Promise<Listening> {
  // Slow uploads are the business of whoever reads the body; a connection without a request ends after 75 s.
  const server = createServer(
    { keepAliveTimeout: 75_000, headersTimeout: 60_000, requestTimeout: 0 },
    handler,
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  let draining: Promise<void> | undefined;
  const drain = () => {
    draining ??= closeGently(server);
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

/** Connections that clients keep alive are closed as soon as they have no request. */
function closeGently(server: Server): Promise<void> {
  return new Promise(resolve => {
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
