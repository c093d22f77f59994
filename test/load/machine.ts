import { availableParallelism, cpus, loadavg } from 'node:os';
import { cpuMsOf } from './process-usage.ts';

/** The machine and its load, in a line. */
export function machine(): string {
  const load = loadavg().map(average => average.toFixed(2));
  const model = cpus()[0]?.model.trim() || process.arch;
  return `${availableParallelism()} cores (${model}), Node ${process.versions.node}, load average ${load.join(' ')}`;
}

/**
 * Starts to measure other processes: the returned function gives their share of all CPU time, from 0 to 1.
 */
export function watchOthers(ours: readonly number[]): () => number {
  const began = performance.now();
  const before = othersMs(ours);
  return () => {
    const all = (performance.now() - began) * cpus().length;
    return Math.max(0, othersMs(ours) - before) / all;
  };
}

/** CPU time of all processes except the bench's since the machine started. */
function othersMs(ours: readonly number[]): number {
  const busy = cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  return ours.reduce((left, pid) => left - cpuMsOf(pid), busy);
}
