import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsServer } from './nats-accounts.ts';
import { killNatsProcess, logFile, startNatsProcess } from './nats-process.ts';
import { checkRefused, testUsers } from './nats-users.ts';

export { freePort } from './free-port.ts';
export { type NatsServer, startNats } from './nats-accounts.ts';
export { type NatsCluster, startNatsCluster } from './nats-cluster.ts';
export { natsServerPath } from './nats-process.ts';
export { urlFor } from './nats-users.ts';
export { pauseProcess } from './pause-process.ts';

/** A nats-server that a test may pause, end and restart. */
export interface OwnNatsServer extends NatsServer {
  pid: number;
  /** Kills the server with -9 and restarts it on the same port, with the same files unless `empty`. */
  restart(options?: { empty?: boolean }): Promise<void>;
}

/**
 * Starts a nats-server of the test's own on a free loopback port, in a temporary folder. `stop` kills it with -9.
 * `refusals`: the test violates permissions on purpose.
 */
export async function startOwnNats({ maxPayload = '1MB', refusals = false } = {}): Promise<OwnNatsServer> {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-nats-'));
  const config = `max_payload: ${maxPayload}\n${testUsers()}`;
  let running = await startNatsProcess(dir, -1, config);
  return {
    get url() {
      return `nats://127.0.0.1:${running.port}`;
    },
    get pid() {
      return running.child.pid as number;
    },
    async stop() {
      await killNatsProcess(running);
      try {
        if (!refusals) checkRefused(logFile(dir));
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    },
    async restart({ empty = false } = {}) {
      await killNatsProcess(running);
      if (empty) rmSync(join(dir, 'js'), { recursive: true, force: true });
      running = await startNatsProcess(dir, running.port, config);
    },
  };
}
