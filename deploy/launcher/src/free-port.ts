import { once } from 'node:events';
import { createServer } from 'node:net';
import { Problem } from './problem.ts';

/** Rejects with a {@link Problem} unless a server can listen there, before anything is started that would be for nothing. */
export async function checkPort(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Problem(explain(host, port, error as NodeJS.ErrnoException), { cause: error });
  }
  server.close();
  await once(server, 'close');
}

function explain(host: string, port: number, error: NodeJS.ErrnoException): string {
  if (error.code !== 'EADDRINUSE') return `cannot listen on ${host}, port ${port}: ${error.message}`;
  return `port ${port} of ${host} is in use; set PORT to another one, or to 0 for any that is free`;
}
