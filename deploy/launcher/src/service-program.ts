import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Started } from '@model-gateway/service';
import type { ClientPort } from './client-port.ts';
import { serviceOf } from './settings.ts';

/** A process of the gateway: starts it and waits until it is up. */
export interface Program {
  name: string;
  /** Starts it in a new process group. A restart uses the addresses of `earlier`, since other processes know them. */
  spawn(earlier: Started | undefined): ChildProcess;
  /** Resolves once the process is up. Rejects if the signal aborts. */
  up(child: ChildProcess, signal: AbortSignal): Promise<Started>;
}

const root = new URL('../../../', import.meta.url);
const exitWithParent = new URL('./exit-with-parent.ts', import.meta.url).href;

/**
 * Settings of V8, also in the Dockerfile. Small collections run in the thread that they stop, and what they free is swept there: the
 * other threads took more CPU time to wake than they saved. V8's own collections in pauses discard the code of requests; `releaseMemory`
 * makes one after a longer pause. What the compiler Maglev allocates, the C library keeps.
 */
const v8Flags = [
  '--max-semi-space-size=8',
  '--no-parallel-scavenge',
  '--no-concurrent-sweeping',
  '--no-concurrent-array-buffer-sweeping',
  '--no-memory-reducer',
  '--no-maglev',
];

/** glibc, also in the Dockerfile: one arena for all threads, since each keeps what a compilation allocated. */
const oneArena = { MALLOC_ARENA_MAX: '1' };

/**
 * Runs a service with this Node, in its own process group, so that it gets no signal that is meant for the launcher.
 * Over the IPC channel it reports its addresses, and notices when the launcher is gone.
 * `entry` is its main file, relative to the checkout, which runs if it is not bundled. With `port`, it is a front, and listens on that port.
 */
export function serviceProgram(
  name: string,
  entry: string,
  env: NodeJS.ProcessEnv,
  port?: ClientPort,
): Program {
  const bundle = fileURLToPath(new URL(`dist/${serviceOf(name)}.js`, root));
  const file = existsSync(bundle) ? bundle : fileURLToPath(new URL(entry, root));
  return {
    name,
    spawn(earlier) {
      const { inherited, env: portEnv } = port?.ofFront ?? { inherited: [], env: {} };
      const ports = earlier && { PORT: portOf(earlier.url), OPS_PORT: portOf(earlier.opsUrl) };
      return spawn(process.execPath, [...v8Flags, '--import', exitWithParent, file], {
        detached: true,
        stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...inherited],
        env: { ...oneArena, ...env, ...ports, ...portEnv },
      });
    },
    async up(child, signal) {
      const [message] = await once(child, 'message', { signal });
      return message as Started;
    },
  };
}

function portOf(url: string | null): string {
  return url ? new URL(url).port : '0';
}
