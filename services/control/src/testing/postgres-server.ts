import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@model-gateway/bus/testing';
import pg from 'pg';

export interface PostgresServer {
  url: string;
  /** Stops the server. Its files and port are reused by {@link start}. */
  halt(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

/** Finds the folder of PostgreSQL's programs; undefined if PostgreSQL is not installed. */
export function postgresPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = statSync(root, { throwIfNoEntry: false }) ? readdirSync(root) : [];
  const folders = [
    ...versions.map(version => join(root, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find(folder =>
    ['initdb', 'postgres'].every(name => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile()),
  );
}

/**
 * Starts a PostgreSQL on a free loopback port, in a new folder; as another user if this process runs as root. It ends with this
 * process.
 */
export async function startPostgres(programs: string): Promise<PostgresServer> {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-postgres-'));
  const user = unprivileged();
  if (user) chownSync(dir, user.uid, user.gid);
  chmodSync(dir, 0o700);
  const data = join(dir, 'data');
  const options = {
    ...user,
    cwd: dir,
    env: { ...process.env, HOME: dir, LC_ALL: 'C' },
    stdio: 'ignore',
  } as const;
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'gateway', '-A', 'trust', '-N'], options);
  const port = await freePort();
  const settings = ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const args = ['-D', data, '-p', String(port), ...settings];
  const url = `postgres://gateway@127.0.0.1:${port}/postgres`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(join(programs, 'postgres'), args, options);
    endWithThisProcess(child, dir);
    await untilReachable(url, child);
  };
  const halt = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  };
  await start();
  return {
    url,
    halt,
    start,
    async stop() {
      await halt();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Ends a server and removes its folder when this process has ended, in whatever way: only then its end of the pipe closes. */
function endWithThisProcess(server: ChildProcess, dir: string): void {
  const script = `trap '' HUP INT TERM; read -r _; kill -QUIT "$0"
    while kill -0 "$0" 2>/dev/null; do sleep 0.1; done; rm -rf "$1"`;
  const watcher = spawn('sh', ['-c', script, String(server.pid), dir], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  server.once('exit', () => watcher.kill('SIGKILL'));
}

/** Returns the user to run as if this process runs as root, which PostgreSQL refuses. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string, name: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: id('-u', name), gid: id('-g', name) };
    } catch {
      // The next user may exist.
    }
  }
  throw new Error('there is no user but root to run PostgreSQL as');
}

async function untilReachable(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch {
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw new Error('PostgreSQL did not start');
}
