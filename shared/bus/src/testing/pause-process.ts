import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Stops a process with SIGSTOP. Resolves when every thread of it has stopped: the signal alone takes effect later. */
export async function pauseProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  while (!isStopped(pid)) await sleep(5);
}

function isStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads))
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .toString()
      .startsWith('T');
  // The state follows the command's name in parentheses.
  return readdirSync(threads).every(id => /\) T/.test(readFileSync(`${threads}/${id}/stat`, 'utf8')));
}
