import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type NatsUser,
  natsAuthorization,
  natsPatience,
  natsUrlOf,
  natsUser,
} from '@model-gateway/bus/configuration';
import type { Started } from '@model-gateway/service';
import { replaceFile } from '@model-gateway/service/configuration';
import { programEnvironment } from '../setup/environment.mjs';
import type { Program } from './service-program.ts';

/** The services with a user of the server, each with its own permissions and password. */
const services = ['control', 'worker', 'front'] as const;
export type NatsService = (typeof services)[number];

/** The name of the process, which has no metrics for Prometheus. */
export const natsServer = 'nats-server';

/** A nats-server, and the URLs of its users. */
export interface NatsProgram extends Program {
  /** Adds a service's user and password to the server's URL. The result must not be printed. */
  urlFor(service: NatsService, url: string): string;
}

// The shell becomes the server, and leaves a child that reads the launcher's pipe. A line means that the server has
// ended, so the child ends. The end of the pipe means that the launcher was killed, so the child kills the server.
const killedWithLauncher = `exec 3<&0
{ read -r _ <&3 || { kill $$; sleep 2; kill -9 $$; } 2>/dev/null; } &
exec "$0" "$@" 3<&- </dev/null`;

/**
 * Configures a nats-server with JetStream that stores its data in `folder` and listens on the loopback. Since other users
 * of the machine can reach its ports, it has new passwords at each start, and its monitoring port, which supports no
 * password, has a random path.
 */
export async function natsProgram(binary: string, folder: string): Promise<NatsProgram> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeStale(folder);
  const config = join(folder, 'nats.conf');
  const users = services.map(service => natsUser(service, randomSecret()));
  const monitoringPath = randomSecret();
  await replaceFile(config, configuration(folder, users, monitoringPath));
  return {
    name: natsServer,
    urlFor: (service, url) => natsUrlOf(url, users[services.indexOf(service)] as NatsUser),
    spawn(earlier) {
      const ports = earlier ? ['-p', portOf(earlier.url), '-m', portOf(earlier.opsUrl)] : [];
      const child = spawn('sh', ['-c', killedWithLauncher, binary, '-c', config, ...ports], {
        detached: true,
        stdio: ['pipe', 'inherit', 'inherit'],
        env: { GOMAXPROCS: threads(), GOGC: heapGrowth, ...programEnvironment(process.env) },
      });
      child.stdin?.on('error', () => {});
      child.once('exit', () => child.stdin?.end('\n'));
      return child;
    },
    async up(child, signal) {
      const file = join(folder, `nats-server_${child.pid}.ports`);
      for (;;) {
        const text = await readFile(file, 'utf8').catch(() => '');
        if (text.endsWith('}')) return addresses(text, monitoringPath);
        await pause(20, undefined, { signal });
      }
    },
  };
}

/**
 * Growth of the server's heap, in percent, after which Go collects it. It is mostly JetStream's buffers of 8 MiB, which are quick to
 * collect: with Go's own 100 the server keeps 30 MiB more after load, for a hundredth less CPU time of a request.
 */
const heapGrowth = '25';

/**
 * Returns the number of threads on which the server runs Go code: half of the cores, which the services need, too. After each message a
 * further one looks for work for a while, which took a fifth more CPU time on two cores.
 */
function threads(): string {
  return String(Math.max(1, Math.floor(availableParallelism() / 2)));
}

/** Waits up to 5 s for a server whose launcher was killed, since two servers would share their files. */
async function removeStale(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter(name => name.endsWith('.ports'));
  await Promise.all(files.map(file => untilGone(join(folder, file), Number(/\d+/.exec(file)?.[0]))));
}

async function untilGone(portsFile: string, pid: number): Promise<void> {
  for (let i = 0; i < 100 && existsSync(portsFile) && isRunning(pid); i++) await pause(50);
  await rm(portsFile, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function randomSecret(): string {
  return randomBytes(32).toString('hex');
}

function configuration(folder: string, users: NatsUser[], monitoringPath: string): string {
  return `# Written by npm start at each start.
listen: "127.0.0.1:-1"
http: "127.0.0.1:-1"
http_base_path: "/${monitoringPath}"
ports_file_dir: ${JSON.stringify(folder)}
log_file: ${JSON.stringify(join(folder, 'nats-server.log'))}
logfile_size_limit: 10MB
logfile_max_num: 3
max_payload: 8MB
${natsPatience}jetstream { store_dir: ${JSON.stringify(folder)} }
${natsAuthorization(users)}`;
}

function addresses(text: string, monitoringPath: string): Started {
  const { nats, monitoring }: { nats: [string]; monitoring: [string] } = JSON.parse(text);
  return { url: nats[0], opsUrl: `${monitoring[0]}/${monitoringPath}` };
}

function portOf(url: string | null): string {
  return url ? new URL(url).port : '-1';
}
