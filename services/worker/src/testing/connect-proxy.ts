import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A proxy that tunnels each connection to the one port of its test, whatever the host. */
export interface ConnectProxy {
  url: string;
  /** The hosts that it was asked for, each with the credential. */
  proxied: string[];
  close(): void;
}

/** Starts a proxy that allows CONNECT alone. */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const proxied: string[] = [];
  const proxy = createServer((_request, response) => response.writeHead(400).end());
  proxy.on('connect', (request, client) => {
    proxied.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    const line = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      line.pipe(client).pipe(line);
    });
    line.on('error', () => client.destroy());
    client.on('error', () => line.destroy());
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    proxied,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
