import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BoundSocket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Started } from '@model-gateway/service';

/** How a process of the gateway is started, and how it is known to be up. */
export interface Program {
  name: string;
  /** Starts it in a process group of its own; after a loss at the addresses that it had, for others know them. */
  spawn(earlier: Started | undefined): ChildProcess;
  /** Resolves once it answers; rejects at the signal at the latest. */
  up(child: ChildProcess, signal: AbortSignal): Promise<Started>;
}

const exitWithParent = new URL('./exit-with-parent.ts', import.meta.url).href;

/** The descriptor by which a service has the port for clients: the first after standard input, output, errors and the IPC channel. */
const portFd = 4;

/**
 * A service as a process of this Node. In a group of its own it gets no signal that is meant for the launcher;
 * by its IPC channel it says where it answers, and learns that the launcher is gone.
 * `entry` is its main file, relative to the checkout. With `port`, it answers on that socket, which others may share.
 */
export function serviceProgram(
  name: string,
  entry: string,
  env: NodeJS.ProcessEnv,
  port?: BoundSocket,
): Program {
  const file = fileURLToPath(new URL(`../../../${entry}`, import.meta.url));
  return {
    name,
    spawn(earlier) {
      const ports = earlier && { PORT: portOf(earlier.url), OPS_PORT: portOf(earlier.opsUrl) };
      return spawn(process.execPath, ['--import', exitWithParent, file], {
        detached: true,
        stdio: ['ignore', 'inherit', 'inherit', 'ipc', ...(port ? [port.fd()] : [])],
        env: { ...env, ...ports, ...(port && { LISTEN_FD: String(portFd) }) },
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
