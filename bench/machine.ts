import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { cpuMsOf, msPerTick } from './process-usage.ts';

/** The machine and its load, in a line. */
export function machine(): string {
  const load = loadavg().map(average => average.toFixed(2));
  const model = cpus()[0]?.model.trim() || process.arch;
  return `${availableParallelism()} cores (${model}), Node ${process.versions.node}, load average ${load.join(' ')}`;
}

/**
 * Starts to measure other processes and, on Linux, other virtual machines on the same processors: the returned function
 * gives their share of all CPU time, from 0 to 1.
 */
export function watchOthers(ours: readonly number[]): () => number {
  const began = performance.now();
  const before = othersMs(ours);
  return () => {
    const all = (performance.now() - began) * cpus().length;
    return Math.max(0, othersMs(ours) - before) / all;
  };
}

/** CPU time since the machine started that processes except the bench's used, or that the machine did not get. */
function othersMs(ours: readonly number[]): number {
  const busy = cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  const stolen = existsSync(statFile) ? stolenMs(readFileSync(statFile, 'utf8')) : 0;
  return ours.reduce((left, pid) => left - cpuMsOf(pid), busy + stolen);
}

const statFile = '/proc/stat';

/** Returns the time in which a processor had work, but ran another virtual machine, in milliseconds (proc_stat(5)). */
function stolenMs(stat: string): number {
  const [steal = 0] = /^cpu +(?:\d+ +){7}(\d+)/m.exec(stat)?.slice(1).map(Number) ?? [];
  return steal * msPerTick;
}
