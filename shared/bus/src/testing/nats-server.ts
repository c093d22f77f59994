import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface NatsServer {
  url: string;
  pid: number;
  /** Kills the server with -9 and removes its files. */
  stop(): Promise<void>;
  /** Kills it with -9 and starts it again on the same port, with the same files. */
  restart(): Promise<void>;
}

/** Starts a real nats-server with JetStream on a free loopback port, in a folder of its own. */
export async function startNats(options: { maxPayload?: string } = {}): Promise<NatsServer> {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-nats-'));
  let running = await spawnServer(dir, -1, options.maxPayload);
  const stop = async () => {
    running.child.kill('SIGKILL');
    if (running.child.exitCode === null && running.child.signalCode === null)
      await once(running.child, 'exit');
  };
  return {
    get url() {
      return `nats://127.0.0.1:${running.port}`;
    },
    get pid() {
      return running.child.pid as number;
    },
    async stop() {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
    async restart() {
      await stop();
      running = await spawnServer(dir, running.port, options.maxPayload);
    },
  };
}

async function spawnServer(
  dir: string,
  port: number,
  maxPayload = '1MB',
): Promise<{ child: ChildProcess; port: number }> {
  writeFileSync(join(dir, 'nats.conf'), `max_payload: ${maxPayload}\n`);
  const ports = mkdtempSync(join(dir, 'ports-'));
  const args = [
    '-c',
    join(dir, 'nats.conf'),
    '-a',
    '127.0.0.1',
    '-p',
    String(port),
    '-js',
    '-sd',
    join(dir, 'js'),
    '--ports_file_dir',
    ports,
  ];
  const child = spawn(natsServerPath(), args, { stdio: 'ignore' });
  for (let i = 0; i < 200; i++) {
    const file = readdirSync(ports)[0];
    const text = file ? readFileSync(join(ports, file), 'utf8') : '';
    if (text.endsWith('}')) {
      const url: string = JSON.parse(text).nats[0];
      return { child, port: Number(new URL(url).port) };
    }
    if (child.exitCode !== null) break;
    await new Promise(resolve => setTimeout(resolve, 25));
  }
  throw new Error('nats-server did not start');
}

function natsServerPath(): string {
  const cache = fileURLToPath(new URL('../../../../.cache', import.meta.url));
  const folders = [...(process.env.PATH ?? '').split(delimiter), cache, join(cache, 'nats-server')];
  const paths = [process.env.NATS_SERVER_BIN, ...folders.map(folder => join(folder, 'nats-server'))];
  const found = paths.find(path => path && statSync(path, { throwIfNoEntry: false })?.isFile());
  if (!found) throw new Error('no nats-server found: run the tests by `npm test`, which gets one');
  return found;
}
