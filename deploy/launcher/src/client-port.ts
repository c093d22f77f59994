import { lookup } from 'node:dns/promises';
import { BoundSocket } from 'node:net';
import { Problem } from './problem.ts';

/**
 * Binds the port for clients, before anything else is started. Each front inherits the socket and accepts connections
 * from it. The launcher accepts no connections; it holds the socket so that the port outlives every front.
 * @throws Problem if the port cannot be bound
 */
export async function bindClientPort(host: string, port: number): Promise<BoundSocket> {
  try {
    const { address } = await lookup(host);
    return new BoundSocket({ host: address, port });
  } catch (error) {
    throw new Problem(explain(host, port, error as NodeJS.ErrnoException), { cause: error });
  }
}

function explain(host: string, port: number, error: NodeJS.ErrnoException): string {
  if (error.code !== 'EADDRINUSE') return `cannot listen on ${host}, port ${port}: ${error.message}`;
  return `port ${port} of ${host} is in use; set PORT to another one, or to 0 for any that is free`;
}
