import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTemplate } from '../../services/control/src/testing/database-template.ts';
import { until } from '../until.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The line that a ready gateway prints. */
export interface ReadyFile {
  baseUrl: string;
  consoleUrl: string;
  token: string;
  adminToken: string;
  natsUrl: string;
  processes: { name: string; pid: number; healthUrl: string }[];
}

export interface LaunchOptions {
  /** `npm start`, or the program that it runs. */
  by?: 'npm' | 'node';
  env?: Record<string, string>;
  /** The folder for its state; by default a new one with an embedded database that has no rows. */
  data?: string;
  /** The folder of the project; by default this one. */
  checkout?: string;
}

/** Tests see the same processes on a machine of any size. */
const oneOfEach = { GATEWAY_WORKERS: '1', GATEWAY_FRONTS: '1' };

/** A gateway in its own process group, started as a user does. */
export class Launched {
  readonly data: string;
  readonly readyFile: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<[number | null, NodeJS.Signals | null]>;
  #closed = false;
  output = '';

  constructor({ by = 'node', env = {}, data = newDataFolder(), checkout = root }: LaunchOptions = {}) {
    this.data = data;
    this.readyFile = join(newFolder(), 'ready.json');
    const [command, ...args] =
      by === 'npm' ? ['npm', 'start'] : [process.execPath, 'deploy/launcher/src/main.ts'];
    this.#child = spawn(command as string, args, {
      cwd: checkout,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...clean(),
        ...oneOfEach,
        PORT: '0',
        GATEWAY_DATA: data,
        GATEWAY_READY_FILE: this.readyFile,
        ...env,
      },
    });
    this.#exited = once(this.#child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', text => {
        this.output += text;
      });
    }
    this.#child.once('close', () => {
      this.#closed = true;
    });
    launched.push(this);
  }

  /** True if every process that could write to the output has ended. */
  silent(): boolean {
    return this.#closed;
  }

  /** The content of the ready file, once it exists. */
  async ready(): Promise<ReadyFile> {
    const look = () => {
      if (existsSync(this.readyFile)) return 'ready';
      return (this.#child.exitCode !== null || this.#child.signalCode !== null) && 'ended';
    };
    const state = await until('the gateway is ready', look, 110_000).catch(() => 'late');
    if (state !== 'ready') throw new Error(`the gateway is not ready:\n${this.output}`);
    return this.read();
  }

  read(): ReadyFile {
    return JSON.parse(readFileSync(this.readyFile, 'utf8'));
  }

  /** The exit code of the started process, or the signal that ended it. */
  async exit(): Promise<number | NodeJS.Signals | null> {
    const [code, signal] = await this.#exited;
    return code ?? signal;
  }

  /** Sends a signal to the group, as a terminal does, or only to the started process. */
  signal(signal: NodeJS.Signals, to: 'group' | 'process'): void {
    const pid = this.#child.pid as number;
    process.kill(to === 'group' ? -pid : pid, signal);
  }

  /** Kills the rest of the group, even if the started process has ended. */
  kill(): void {
    try {
      this.signal('SIGKILL', 'group');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

const launched: Launched[] = [];
const folders: string[] = [];

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  folders.push(folder);
  return folder;
}

/** Creates a folder with a database, as the creation of one takes seconds of CPU time at the first start. */
function newDataFolder(): string {
  const folder = newFolder();
  copyTemplate(folder);
  return folder;
}

/** Kills every launched gateway and removes its files. */
export async function cleanUp(): Promise<void> {
  const pids = launched.flatMap(gateway => (existsSync(gateway.readyFile) ? gateway.read().processes : []));
  for (const gateway of launched.splice(0)) gateway.kill();
  await untilGone(pids.map(({ pid }) => pid)).catch(() => {});
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Waits until none of the processes runs; rejects after 15 s. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  const look = () => {
    const left = pids.filter(isRunning);
    if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
    return true;
  };
  await until('the processes end', look, 15_000);
}

/** A zombie process does not count as running, once its last thread has ended: until then, its sockets are open. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const isZombie = /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return !isZombie || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' && !existsSync('/proc/self/stat');
  }
}

/** This environment without variables that would change a gateway. */
function clean(): NodeJS.ProcessEnv {
  const foreign = /^(GATEWAY_|HOST$|PORT$|OPS_PORT$|NATS_URL$|LOG_LEVEL$|(OPENAI|ANTHROPIC|GEMINI)_API_KEY$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
