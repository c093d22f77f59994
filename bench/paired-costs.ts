import type { Child } from './child.ts';
import { percentiles } from './figures.ts';
import type { Report } from './generator.ts';
import type { Job } from './load.ts';
import { cpuMsOf } from './process-usage.ts';

const lateMs = 60_000;

/** The cost of a request. */
export interface LoadCost {
  /** CPU of the gateway's processes for a request, in milliseconds. */
  cpuMs: number;
  p50Ms: number;
}

/** The medians of a load's rounds, without something and with it. */
export interface PairedCosts {
  without: LoadCost;
  with: LoadCost;
  /** The median of the differences within each round. */
  more: LoadCost;
}

/** Measures without something and with it, in turns. */
export async function inTurns(
  rounds: number,
  cost: (which: 'without' | 'with') => Promise<LoadCost>,
): Promise<PairedCosts> {
  const seen: Pick<PairedCosts, 'with' | 'without'>[] = [];
  for (let round = 0; round < rounds; round++) {
    // The order alternates, because the machine's speed may change.
    const first = round % 2 === 0 ? 'without' : 'with';
    const second = round % 2 === 0 ? 'with' : 'without';
    const costs = { [first]: await cost(first), [second]: await cost(second) };
    seen.push(costs as (typeof seen)[number]);
  }
  return medians(seen);
}

/** Sends a load, and returns what a request cost the processes. */
export async function costOf(
  generator: Child,
  job: Job,
  pids: readonly number[],
  signal: AbortSignal,
): Promise<LoadCost> {
  const cpuMs = () => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const before = cpuMs();
  generator.process.send(job);
  const late = AbortSignal.timeout(job.seconds * 1_000 + lateMs);
  const report = await generator.message<Report>(AbortSignal.any([signal, late]));
  if ('failed' in report) throw new Error(report.failed);
  const { endMs } = report.seen;
  return { cpuMs: (cpuMs() - before) / endMs.length, p50Ms: percentiles(endMs).p50 };
}

type Round = Pick<PairedCosts, 'with' | 'without'>;

function medians(rounds: readonly Round[]): PairedCosts {
  const of = (read: (round: Round, of: keyof LoadCost) => number) => ({
    cpuMs: percentiles(rounds.map(round => read(round, 'cpuMs'))).p50,
    p50Ms: percentiles(rounds.map(round => read(round, 'p50Ms'))).p50,
  });
  return {
    without: of((round, figure) => round.without[figure]),
    with: of((round, figure) => round.with[figure]),
    more: of((round, figure) => round.with[figure] - round.without[figure]),
  };
}
