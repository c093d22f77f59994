import type { Seen } from './load.ts';

/** A server's figures under a load. CPU is in milliseconds a request. */
export interface Figures {
  requestsPerSecond: number;
  /** Milliseconds to the first bytes of the response's body. */
  firstMs: { p50: number; p99: number };
  /** Milliseconds to the end of the response. */
  endMs: { p50: number; p99: number };
  simulatorCpuMs: number;
  /** By process of the gateway; empty if the simulator was called directly. */
  gatewayCpuMs: Record<string, number>;
  /** The sum over all processes of the gateway. */
  gatewayTotalCpuMs: number;
}

/** `cpuMs` is the total of each process, by its name. */
export function figuresOf(seen: Seen, cpuMs: Record<string, number>): Figures {
  const requests = seen.endMs.length;
  const { simulator = 0, ...gateway } = cpuMs;
  const entries = Object.entries(gateway).map(([name, ms]) => [name, ms / requests] as const);
  return {
    requestsPerSecond: requests / seen.seconds,
    firstMs: percentiles(seen.firstMs),
    endMs: percentiles(seen.endMs),
    simulatorCpuMs: simulator / requests,
    gatewayCpuMs: Object.fromEntries(entries),
    gatewayTotalCpuMs: entries.reduce((sum, [, ms]) => sum + ms, 0),
  };
}

/** The median of each figure. */
export function medians(rounds: readonly Figures[]): Figures {
  const of = (read: (figures: Figures) => number) => quantile(rounds.map(read), 0.5);
  const names = Object.keys(rounds[0]?.gatewayCpuMs ?? {});
  return {
    requestsPerSecond: of(round => round.requestsPerSecond),
    firstMs: { p50: of(round => round.firstMs.p50), p99: of(round => round.firstMs.p99) },
    endMs: { p50: of(round => round.endMs.p50), p99: of(round => round.endMs.p99) },
    simulatorCpuMs: of(round => round.simulatorCpuMs),
    gatewayCpuMs: Object.fromEntries(names.map(name => [name, of(round => round.gatewayCpuMs[name] ?? 0)])),
    gatewayTotalCpuMs: of(round => round.gatewayTotalCpuMs),
  };
}

export function percentiles(values: readonly number[]): { p50: number; p99: number } {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}

/** The quantile `q` of the values, interpolated between two values. */
function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  return ((sorted[Math.floor(at)] ?? Number.NaN) + (sorted[Math.ceil(at)] ?? Number.NaN)) / 2;
}
