import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const endMs = 10_000;

/** A program of this repository in a child process that ends with this one, when its IPC channel closes. */
export class Child implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly #name: string;
  readonly #exited: Promise<unknown>;

  /** `entry` is relative to the repository; output goes to the file descriptor `output`. */
  constructor(entry: string, env: Record<string, string>, output: number | 'inherit') {
    this.#name = entry;
    const file = fileURLToPath(new URL(`../${entry}`, import.meta.url));
    const { PATH = '', HOME = '', NATS_SERVER_BIN = '', NODE_COMPILE_CACHE = '' } = process.env;
    this.process = fork(file, {
      env: { PATH, HOME, NATS_SERVER_BIN, NODE_COMPILE_CACHE, ...env },
      stdio: ['ignore', output, output, 'ipc'],
    });
    this.#exited = once(this.process, 'exit');
    this.#exited.catch(() => {});
  }

  get pid(): number {
    return this.process.pid as number;
  }

  /** Resolves with the next message; rejects if the process ends first or `signal` aborts. */
  async message<T>(signal: AbortSignal): Promise<T> {
    const waited = new AbortController();
    const either = AbortSignal.any([signal, waited.signal]);
    try {
      return await Promise.race([
        once(this.process, 'message', { signal: either }).then(([message]) => message as T),
        this.ended(),
      ]);
    } finally {
      waited.abort();
    }
  }

  /** Rejects once the process has ended. */
  async ended(): Promise<never> {
    await this.#exited;
    throw new Error(`${this.#name} ended (${this.process.signalCode ?? this.process.exitCode})`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const kill = setTimeout(() => this.process.kill('SIGKILL'), endMs);
    this.process.kill('SIGTERM');
    await this.#exited.catch(() => {});
    clearTimeout(kill);
  }
}
