import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { natsPatience } from '../authorization.ts';

/** A nats-server with JetStream started by a test. */
export interface NatsProcess {
  child: ChildProcess;
  /** The port for clients. */
  port: number;
}

/** The longest start of a server, in milliseconds: JetStream waits for the disk, which a busy machine blocks for many seconds. */
const startMs = 60_000;

/** Starts a nats-server on a loopback port, -1 for any; `config` is what its configuration has beside {@link natsPatience}. It ends with this process. */
export async function startNatsProcess(dir: string, port: number, config: string): Promise<NatsProcess> {
  const file = join(dir, 'nats.conf');
  writeFileSync(file, `${natsPatience}${config}`);
  const ports = mkdtempSync(join(dir, 'ports-'));
  const place = ['-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', ports];
  const args = ['-c', file, ...place, '-js', '-sd', join(dir, 'js'), '-l', logFile(dir)];
  const child = spawn(natsServerPath(), args, { stdio: 'ignore' });
  child.unref();
  endWithThisProcess(child, dir);
  for (const until = Date.now() + startMs; Date.now() < until; ) {
    const found = readdirSync(ports)[0];
    const text = found ? readFileSync(join(ports, found), 'utf8') : '';
    if (text.endsWith('}')) return { child, port: Number(new URL(JSON.parse(text).nats[0]).port) };
    if (child.exitCode !== null) break;
    await sleep(5);
  }
  throw new Error(`nats-server did not start; see ${logFile(dir)}`);
}

/** Kills a server and removes its folder when this process has ended, in whatever way: only then its end of the pipe closes. */
function endWithThisProcess(server: ChildProcess, dir: string): void {
  const script = `trap '' HUP INT TERM; read -r _; kill -9 "$0"; rm -rf "$1"`;
  const watcher = spawn('sh', ['-c', script, String(server.pid), dir], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  server.once('exit', () => watcher.kill('SIGKILL'));
}

/** The log file of the nats-servers that were started in this folder. */
export function logFile(dir: string): string {
  return join(dir, 'nats.log');
}

/** Kills the server with -9, and waits until it has exited. */
export async function killNatsProcess({ child }: NatsProcess): Promise<void> {
  child.ref();
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Finds nats-server: NATS_SERVER_BIN, or on PATH, or in the project's cache. @throws Error if there is none */
export function natsServerPath(): string {
  const cache = fileURLToPath(new URL('../../../../.cache', import.meta.url));
  const folders = [...(process.env.PATH ?? '').split(delimiter), cache, join(cache, 'nats-server')];
  const paths = [process.env.NATS_SERVER_BIN, ...folders.map(folder => join(folder, 'nats-server'))];
  const found = paths.find(path => path && statSync(path, { throwIfNoEntry: false })?.isFile());
  if (!found) throw new Error('no nats-server found: run the tests by `npm test`, which installs one');
  return found;
}
