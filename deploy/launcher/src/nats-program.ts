import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type NatsUser, natsAuthorization, natsUrlOf, natsUser } from '@model-gateway/bus';
import type { Started } from '@model-gateway/service';
import { programEnvironment } from './environment.ts';
import type { Program } from './service-program.ts';
import { writeWhole } from './write-whole.ts';

/** The services that are users of the server, each with what it may do and a password of its own. */
const services = ['control', 'worker', 'front'] as const;
export type NatsService = (typeof services)[number];

/** A nats-server, and how its users reach it. */
export interface NatsProgram extends Program {
  /** The server's address with a user and its password, given the one without: not to be printed. */
  urlFor(service: NatsService, url: string): string;
}

// The shell becomes the server, and leaves a child behind that holds the launcher's pipe: told by a line that the
// server has ended, it ends too; at the pipe's end, the launcher was killed and the server goes with it.
const leashed = `exec 3<&0
{ read -r _ <&3 || { kill $$; sleep 2; kill -9 $$; } 2>/dev/null; } &
exec "$0" "$@" 3<&- </dev/null`;

/**
 * A nats-server with JetStream that keeps all it has in `folder` and is reached from this machine alone, by passwords that are
 * new each time: other users of the machine can reach its ports too. The address of its monitoring port, which knows no
 * password, has a random path for the same reason.
 */
export async function natsProgram(binary: string, folder: string): Promise<NatsProgram> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await clear(folder);
  const config = join(folder, 'nats.conf');
  const users = services.map(service => natsUser(service, randomSecret()));
  const monitoringPath = randomSecret();
  await writeWhole(config, configuration(folder, users, monitoringPath));
  return {
    name: 'nats-server',
    urlFor: (service, url) => natsUrlOf(url, users[services.indexOf(service)] as NatsUser),
    spawn(earlier) {
      const ports = earlier ? ['-p', portOf(earlier.url), '-m', portOf(earlier.opsUrl)] : [];
      const child = spawn('sh', ['-c', leashed, binary, '-c', config, ...ports], {
        detached: true,
        stdio: ['pipe', 'inherit', 'inherit'],
        env: programEnvironment(process.env),
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

/** A server whose launcher was killed may still be ending: it has up to 5 s, for two would share their files. */
async function clear(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter(name => name.endsWith('.ports'));
  await Promise.all(files.map(file => gone(join(folder, file), Number(/\d+/.exec(file)?.[0]))));
}

async function gone(portsFile: string, pid: number): Promise<void> {
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
  return `# Made by npm start each time.
listen: "127.0.0.1:-1"
http: "127.0.0.1:-1"
http_base_path: "/${monitoringPath}"
ports_file_dir: ${JSON.stringify(folder)}
log_file: ${JSON.stringify(join(folder, 'nats-server.log'))}
logfile_size_limit: 10MB
logfile_max_num: 3
max_payload: 8MB
jetstream { store_dir: ${JSON.stringify(folder)} }
${natsAuthorization(users)}`;
}

function addresses(text: string, monitoringPath: string): Started {
  const { nats, monitoring }: { nats: [string]; monitoring: [string] } = JSON.parse(text);
  return { url: nats[0], opsUrl: `${monitoring[0]}/${monitoringPath}` };
}

function portOf(url: string | null): string {
  return url ? new URL(url).port : '-1';
}
