import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { killNatsProcess, logFile, type NatsProcess, startNatsProcess } from './nats-process.ts';
import { checkRefused, testUsers } from './nats-users.ts';

/** A cluster of nats-servers. */
export interface NatsCluster {
  /** The addresses of all nodes, separated by commas. */
  url: string;
  /** Kills a node with -9. */
  kill(node: number): Promise<void>;
  /** Restarts a killed node on the same ports and with the same files. */
  restart(node: number): Promise<void>;
  /** Kills all nodes and removes their files. @throws Error if a node denied a subject to a service */
  stop(): Promise<void>;
}

/** Starts real nats-servers with JetStream on free loopback ports. They need some seconds to elect a leader. */
export async function startNatsCluster(nodes = 3): Promise<NatsCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-nats-'));
  // Every node needs the ports of all nodes before it starts.
  const routes: number[] = [];
  while (routes.length < nodes) routes.push(await freePort());
  const folder = (node: number) => join(dir, `n${node}`);
  const start = (node: number, port: number) => {
    const nodeDir = folder(node);
    mkdirSync(nodeDir, { recursive: true });
    return startNatsProcess(nodeDir, port, config(node, routes));
  };
  const running: NatsProcess[] = await Promise.all(routes.map((_, node) => start(node, -1)));
  const at = (node: number) => running[node] as NatsProcess;
  return {
    url: running.map(({ port }) => `nats://127.0.0.1:${port}`).join(','),
    kill: node => killNatsProcess(at(node)),
    async restart(node) {
      running[node] = await start(node, at(node).port);
    },
    async stop() {
      await Promise.all(running.map(killNatsProcess));
      try {
        for (const node of routes.keys()) checkRefused(logFile(folder(node)));
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    },
  };
}

function config(node: number, routes: readonly number[]): string {
  const addresses = routes.map(port => `nats://127.0.0.1:${port}`);
  return `server_name: n${node}
cluster { name: test, listen: "127.0.0.1:${routes[node]}", routes: ${JSON.stringify(addresses)} }
${testUsers()}`;
}
