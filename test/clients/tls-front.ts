import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { selfSigned } from '@model-gateway/service/testing';

/** A TLS proxy with a self-signed certificate before a gateway, for a client that connects only over TLS. */
export interface TlsFront {
  /** `https://localhost:port`. */
  url: string;
  close(): void;
}

export async function startTlsFront(gatewayUrl: string): Promise<TlsFront> {
  using files = selfSigned();
  const { hostname, port } = new URL(gatewayUrl);
  const server = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, socket => {
    const to = connect(Number(port), hostname);
    socket.on('error', () => to.destroy());
    to.on('error', () => socket.destroy());
    socket.pipe(to).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}
