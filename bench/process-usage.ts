import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second, independent of the kernel's ticks. */
export const msPerTick = 10;
const kbPerMb = 1_024;
const hasProc = existsSync('/proc/self/stat');

/** CPU time of all threads of a process so far, in user mode and in the kernel, in milliseconds. Throws if it has ended. */
export function cpuMsOf(pid: number): number {
  if (!hasProc) return fromPs(pid).cpuMs;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain spaces; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** The memory of processes in MiB. */
export interface Memory {
  /** The memory of each process alone, by its name. */
  own: Record<string, number>;
  /** The memory that they share, such as the pages of Node's program, counted once. */
  shared: number;
  all: number;
}

/**
 * Returns the resident memory of processes. Pages that another process has, too, are counted once, as the largest such part of
 * one process: four processes of one program do not load it four times. Throws if one has ended.
 */
export function memoryOf(pids: Readonly<Record<string, number>>): Memory {
  const each = Object.entries(pids).map(([name, pid]) => ({ name, ...memoryOfOne(pid) }));
  const own = Object.fromEntries(each.map(({ name, own }) => [name, own]));
  const shared = Math.max(0, ...each.map(({ shared }) => shared));
  return { own, shared, all: each.reduce((sum, { own }) => sum + own, shared) };
}

function memoryOfOne(pid: number): { own: number; shared: number } {
  if (!hasProc) return { own: fromPs(pid).residentMb, shared: 0 };
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const sum = (kind: string) =>
    ['Clean', 'Dirty'].reduce((kb, state) => {
      return kb + Number(new RegExp(`^${kind}_${state}: *(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0);
    }, 0) / kbPerMb;
  return { own: sum('Private'), shared: sum('Shared') };
}

/** Asks systems without /proc, such as macOS. */
function fromPs(pid: number): { cpuMs: number; residentMb: number } {
  const line = execFileSync('ps', ['-o', 'time=,rss=', '-p', String(pid)], { encoding: 'utf8' });
  const [time = '', kilobytes] = line.trim().split(/\s+/);
  return { cpuMs: secondsOf(time) * 1_000, residentMb: Number(kilobytes) / kbPerMb };
}

/** Parses `[days-]hours:minutes:seconds` or `minutes:seconds.hundredths`. */
function secondsOf(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse();
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}
