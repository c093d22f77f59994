import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Figures of one process since the last request for them. */
export interface Probed {
  /** The longest delay of its event loop in milliseconds, including delays of a busy machine. */
  lateMs: number;
  /** The longest CPU time of its event loop at a stretch, in milliseconds. */
  busyMs: number;
  /** After a garbage collection, in bytes. */
  heap: number;
  external: number;
}

/**
 * The longest time that a process was blocked: a delay without CPU time means that it waited for a processor.
 */
export function blockedMs({ lateMs, busyMs }: Probed): number {
  return Math.min(lateMs, busyMs);
}

const tickMs = 10;

// Loaded into every process of a gateway by NODE_OPTIONS. On SIGUSR2 it collects garbage, writes the figures
// to `<folder>/<pid>.json` and resets them.
const folder = new URL(import.meta.url).searchParams.get('folder');
if (isMainThread && folder !== null) {
  const delay = monitorEventLoopDelay({ resolution: tickMs });
  delay.enable();
  let busiest = 0;
  let before = threadCpu();
  setInterval(() => {
    const now = threadCpu();
    busiest = Math.max(busiest, now - before);
    before = now;
  }, tickMs).unref();
  process.on('SIGUSR2', () => {
    const [lateMs, busyMs] = [delay.max / 1e6, busiest];
    const gc = globalThis.gc as () => void;
    gc();
    gc();
    const { heapUsed: heap, external } = process.memoryUsage();
    const file = join(folder, `${process.pid}.json`);
    writeFileSync(`${file}.part`, JSON.stringify({ lateMs, busyMs, heap, external } satisfies Probed));
    renameSync(`${file}.part`, file);
    delay.reset();
    before = threadCpu();
    busiest = 0;
  });
}

/** CPU time of this thread, in milliseconds. */
function threadCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
