import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.ts';

const upMs = 180_000;
const endMs = 10_000;

/** A server of others in a process of its own. */
export class Program implements AsyncDisposable {
  /** Its URL, without a path. */
  readonly url: string;
  readonly #child: ChildProcess;
  #log = '';

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    for (const output of [child.stdout, child.stderr]) {
      output?.on('data', text => {
        this.#log = (this.#log + text).slice(-200_000);
      });
    }
  }

  /** Starts a program, and waits until a GET of its `healthPath` succeeds. */
  static async start(
    command: readonly [string, ...string[]],
    { port, healthPath, env }: { port: number; healthPath: string; env?: NodeJS.ProcessEnv },
  ): Promise<Program> {
    const [file, ...args] = command;
    const own = { PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
    // In a group of its own, so that the processes which it starts end with it.
    const child = spawn(file, args, { env: { ...process.env, ...own, ...env }, detached: true });
    const program = new Program(`http://127.0.0.1:${port}`, child);
    const failed = once(child, 'error').then(([error]) => String(error));
    let why: string | undefined;
    void failed.then(text => {
      why = text;
    });
    const look = async () => {
      if (why || child.exitCode !== null) return 'ended';
      return (await fetch(program.url + healthPath, { signal: AbortSignal.timeout(5_000) })).ok && 'ready';
    };
    if ((await until(`${file} is ready`, look, upMs).catch(() => 'late')) === 'ready') return program;
    await program[Symbol.asyncDispose]();
    throw new Error(`${file} did not start: ${why ?? program.log.slice(-4_000)}`);
  }

  /** The end of what it has printed. */
  get log(): string {
    return this.#log;
  }

  /** Stops it and the processes that it started. */
  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGTERM');
    await Promise.race([ended, sleep(endMs, undefined, { ref: false })]);
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The whole group has ended.
    }
    await ended;
  }
}
