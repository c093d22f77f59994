import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Started } from '@model-gateway/service';
import type { Program } from './program.ts';

const leash = new URL('./leash.ts', import.meta.url).href;

/**
 * A service as a process of this Node. In a group of its own it gets no signal that is meant for the launcher;
 * by its IPC channel it says where it answers, and learns that the launcher is gone.
 * `entry` is its main file, relative to the checkout.
 */
export function serviceProgram(name: string, entry: string, env: NodeJS.ProcessEnv): Program {
  const file = fileURLToPath(new URL(`../../../${entry}`, import.meta.url));
  return {
    name,
    spawn(earlier) {
      const ports = earlier && { PORT: portOf(earlier.url), OPS_PORT: portOf(earlier.opsUrl) };
      return spawn(process.execPath, ['--import', leash, file], {
        detached: true,
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env: { ...env, ...ports },
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
