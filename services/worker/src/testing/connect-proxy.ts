import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A proxy that allows `CONNECT` to any host, and leads to one server whatever the host. */
export interface ConnectProxy {
  url: string;
  /** The hosts that it was asked for, each with the credential of the request. */
  asked: string[];
  close(): void;
}

/** @param port of the server at 127.0.0.1 */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(400).end();
  });
  server.on('connect', (request, client) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    const line = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      line.pipe(client).pipe(line);
    });
    line.on('error', () => client.destroy());
    client.on('error', () => line.destroy());
  });
  const own = await listening(server);
  return { url: `http://127.0.0.1:${own}`, asked, close: () => closed(server) };
}

/** Starts a server at a free port of 127.0.0.1, and returns the port. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export function closed(server: Server): void {
  server.closeAllConnections();
  server.close();
}
