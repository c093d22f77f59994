import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that systems give to no socket by themselves: Linux starts at 32768, macOS at 49152. */
const ports = { from: 20_000, to: 30_000 };

/** Finds a loopback port on which nothing listens, and which no other socket gets by chance before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.to);
    const server = createServer();
    const tried = Promise.race([once(server, 'listening'), once(server, 'error').then(() => undefined)]);
    server.listen(port, '127.0.0.1');
    if (!(await tried)) continue;
    await once(server.close(), 'close');
    return port;
  }
}
