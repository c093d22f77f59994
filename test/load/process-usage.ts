import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second, independent of the kernel's ticks. */
const msPerTick = 10;

/** The usage of a process so far. */
export interface ProcessUsage {
  /** CPU time of all threads, in user mode and in the kernel. */
  cpuMs: number;
  /** Resident memory in MiB. */
  residentMb: number;
}

/** Throws if the process has ended. */
export function usageOf(pid: number): ProcessUsage {
  return existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain spaces; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const resident = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
    residentMb: Number(resident) / 1_024,
  };
}

/** Systems without /proc, such as macOS. */
export function fromPs(pid: number): ProcessUsage {
  const line = execFileSync('ps', ['-o', 'time=,rss=', '-p', String(pid)], { encoding: 'utf8' });
  const [time = '', kilobytes] = line.trim().split(/\s+/);
  return { cpuMs: secondsOf(time) * 1_000, residentMb: Number(kilobytes) / 1_024 };
}

/** Parses `[days-]hours:minutes:seconds` or `minutes:seconds.hundredths`. */
function secondsOf(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse();
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}
