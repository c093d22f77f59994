import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second, whatever its kernel ticks in. */
const msPerTick = 10;

/** What a process has used so far. */
export interface ProcessUsage {
  /** Of all its threads, in user mode and in the kernel. */
  cpuMs: number;
  /** What it holds in memory now, in MiB. */
  residentMb: number;
}

/** Throws where the process has ended. */
export function usageOf(pid: number): ProcessUsage {
  return existsSync('/proc/self/stat') ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold spaces; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const resident = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
    residentMb: Number(resident) / 1_024,
  };
}

/** Where there is no /proc, as on macOS. */
export function fromPs(pid: number): ProcessUsage {
  const line = execFileSync('ps', ['-o', 'time=,rss=', '-p', String(pid)], { encoding: 'utf8' });
  const [time = '', kilobytes] = line.trim().split(/\s+/);
  return { cpuMs: secondsOf(time) * 1_000, residentMb: Number(kilobytes) / 1_024 };
}

/** Of `[days-]hours:minutes:seconds` or `minutes:seconds.hundredths`. */
function secondsOf(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse();
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}
