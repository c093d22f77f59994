import { spawnSync } from 'node:child_process';

/**
 * Gives this process, and those that it starts from now on, the scheduling policy SCHED_BATCH of Linux. A process that
 * wakes then does not interrupt the one that runs on its core, so that it finds more messages in one turn. On an idle
 * core it runs at once. Needs the program `chrt` of util-linux or BusyBox; without it, the policy stays as it is.
 * Source: sched(7).
 */
export function useBatchScheduling(): void {
  if (process.platform !== 'linux') return;
  spawnSync('chrt', ['-b', '-p', '0', String(process.pid)], { stdio: 'ignore' });
}
