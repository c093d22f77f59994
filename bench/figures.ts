import type { Seen } from './load.ts';

/** A target's figures under a load. CPU is in milliseconds a request. */
export interface Figures {
  requestsPerSecond: number;
  /** Milliseconds to the first bytes of the response's body. */
  firstMs: Percentiles;
  /** Milliseconds to the end of the response. */
  endMs: Percentiles;
  /** Milliseconds between two reads of a paced response; 0 for other scenarios. */
  gapMs: Percentiles;
  simulatorCpuMs: number;
  /** By process of the target; empty if the simulator was called directly. */
  cpuMs: Record<string, number>;
  /** The sum over all processes of the target. */
  totalCpuMs: number;
  /** The most memory that all processes of the target had at once, in MiB. */
  peakMb: number;
}

export interface Percentiles {
  p50: number;
  p99: number;
}

/** `cpuMs` is the total of each process, by its name. */
export function figuresOf(seen: Seen, cpuMs: Record<string, number>, peakMb: number): Figures {
  const requests = seen.endMs.length;
  const { simulator = 0, ...own } = cpuMs;
  const entries = Object.entries(own).map(([name, ms]) => [name, ms / requests] as const);
  return {
    requestsPerSecond: requests / seen.seconds,
    firstMs: percentiles(seen.firstMs),
    endMs: percentiles(seen.endMs),
    gapMs: seen.gapsMs.length > 0 ? percentiles(seen.gapsMs) : { p50: 0, p99: 0 },
    simulatorCpuMs: simulator / requests,
    cpuMs: Object.fromEntries(entries),
    totalCpuMs: entries.reduce((sum, [, ms]) => sum + ms, 0),
    peakMb,
  };
}

/** The median of each figure; of the memory, the most. */
export function medians(rounds: readonly Figures[]): Figures {
  const of = (read: (figures: Figures) => number) => quantile(rounds.map(read), 0.5);
  const both = (read: (figures: Figures) => Percentiles) => {
    return { p50: of(round => read(round).p50), p99: of(round => read(round).p99) };
  };
  const names = Object.keys(rounds[0]?.cpuMs ?? {});
  return {
    requestsPerSecond: of(round => round.requestsPerSecond),
    firstMs: both(round => round.firstMs),
    endMs: both(round => round.endMs),
    gapMs: both(round => round.gapMs),
    simulatorCpuMs: of(round => round.simulatorCpuMs),
    cpuMs: Object.fromEntries(names.map(name => [name, of(round => round.cpuMs[name] ?? 0)])),
    totalCpuMs: of(round => round.totalCpuMs),
    peakMb: Math.max(...rounds.map(round => round.peakMb)),
  };
}

export function percentiles(values: readonly number[]): Percentiles {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}

/** The quantile `q` of the values, interpolated between two values. */
function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  return ((sorted[Math.floor(at)] ?? Number.NaN) + (sorted[Math.ceil(at)] ?? Number.NaN)) / 2;
}
