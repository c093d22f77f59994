import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A nats-server with JetStream that a test has started. */
export interface NatsProcess {
  child: ChildProcess;
  /** Where clients reach it. */
  port: number;
}

/** Starts a nats-server on a loopback port, -1 for any; `config` is what its file says beside that. */
export async function startNatsProcess(dir: string, port: number, config: string): Promise<NatsProcess> {
  const file = join(dir, 'nats.conf');
  writeFileSync(file, config);
  const ports = mkdtempSync(join(dir, 'ports-'));
  const place = ['-a', '127.0.0.1', '-p', String(port), '--ports_file_dir', ports];
  const args = ['-c', file, ...place, '-js', '-sd', join(dir, 'js'), '-l', logFile(dir)];
  const child = spawn(natsServerPath(), args, { stdio: 'ignore' });
  for (let i = 0; i < 400; i++) {
    const found = readdirSync(ports)[0];
    const text = found ? readFileSync(join(ports, found), 'utf8') : '';
    if (text.endsWith('}')) return { child, port: Number(new URL(JSON.parse(text).nats[0]).port) };
    if (child.exitCode !== null) break;
    await new Promise(resolve => setTimeout(resolve, 25));
  }
  throw new Error('nats-server did not start');
}

/** The log of the nats-servers that were started with this folder. */
export function logFile(dir: string): string {
  return join(dir, 'nats.log');
}

/** Kills it with -9, and waits until it is gone. */
export async function killNatsProcess({ child }: NatsProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The nats-server that tests use: NATS_SERVER_BIN, or one on PATH or in the project's cache. @throws Error if there is none */
export function natsServerPath(): string {
  const cache = fileURLToPath(new URL('../../../../.cache', import.meta.url));
  const folders = [...(process.env.PATH ?? '').split(delimiter), cache, join(cache, 'nats-server')];
  const paths = [process.env.NATS_SERVER_BIN, ...folders.map(folder => join(folder, 'nats-server'))];
  const found = paths.find(path => path && statSync(path, { throwIfNoEntry: false })?.isFile());
  if (!found) throw new Error('no nats-server found: run the tests by `npm test`, which gets one');
  return found;
}
