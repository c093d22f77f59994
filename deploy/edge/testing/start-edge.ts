import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@model-gateway/bus/testing';

/** The reason why the edge cannot run here, if any. Only Linux has all addresses of 127.0.0.0/8 by default. */
export const whyNoEdge =
  process.platform !== 'linux'
    ? 'this is not Linux'
    : spawnSync('haproxy', ['-v']).status === 0
      ? undefined
      : 'haproxy is not installed';

export interface Edge {
  process: ChildProcess;
  port: number;
  operatorPort: number;
  log: string;
}

const path = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));

/** Returns haproxy.cfg with loopback ports, and one server in place of all services. */
function onLoopback(port: number, operatorPort: number, server: number): string {
  return readFileSync(path('haproxy.cfg'), 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('bind :9090', `bind 127.0.0.1:${operatorPort}`)
    .replace('/edge/routes.map', path('routes.map'))
    .replace(/^ *default-server .*$/m, '')
    .replace(/server-template replica 32 \S+/g, `server replica 127.0.0.1:${server}`);
}

/** Starts the edge with its script and the settings in `env`. It routes to the service at the port `server`. */
export async function startEdge(server: number, env: Record<string, string>): Promise<Edge> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'gateway-edge-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, onLoopback(port, operatorPort, server));
  const child = spawn('sh', [path('start.sh'), file], {
    env: { PATH: process.env.PATH, TMPDIR: folder, ...env },
  });
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const edge: Edge = { process: child, port, operatorPort, log: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', data => {
      edge.log += data;
    });
  return edge;
}
