import { setTimeout as pause } from 'node:timers/promises';
import { startNats } from '@model-gateway/bus/testing';
import { Fleet, type FleetProcess } from '../fleet/fleet.ts';
import { Child } from './child.ts';
import { percentiles } from './figures.ts';
import type { Report } from './generator.ts';
import type { Job } from './load.ts';
import { cpuMsOf } from './process-usage.ts';
import { named } from './scenarios.ts';
import { wholeText } from './simulator.ts';

const warmUpSeconds = 2;
const lateMs = 60_000;
/** Time in which the first ingress becomes the one that counts, in milliseconds. */
const electedMs = 3_000;
/** Limits that no load reaches. */
const limits = { requestsPerMinute: 10_000_000, tokensPerMinute: 1_000_000_000, concurrency: 1_000 };

export interface LimitsOptions {
  /** The duration of a load. */
  seconds: number;
  rounds: number;
}

/** The medians of a load's rounds. */
interface LimitsCost {
  /** CPU of the gateway's processes for a request, in milliseconds. */
  cpuMs: number;
  p50Ms: number;
}

/** The cost of a request of a token with limits beside that of one without. */
export interface LimitsRow {
  /** `counts`: the ingress that serves is the one that counts; `asks`: it asks another. */
  ingress: 'counts' | 'asks';
  clients: number;
  without: LimitsCost;
  with: LimitsCost;
  /** The median of the differences within each round. */
  more: LimitsCost;
}

export interface LimitsFigures extends LimitsOptions {
  rows: readonly LimitsRow[];
}

/** Measures both tokens in turns, at the ingress that counts for all and at one that asks it, at one client and at 32. */
export async function measureLimits(options: LimitsOptions, signal: AbortSignal): Promise<LimitsFigures> {
  const nats = await startNats();
  try {
    await using fleet = await Fleet.start({ natsUrl: nats.url });
    await using generator = new Child('test/load/generator.ts', {}, 'inherit');
    await generator.message(signal);
    await pause(electedMs, undefined, { signal });
    await fleet.startFront();
    const { token } = await fleet.createToken({ limits });
    const tokens = { without: fleet.token, with: token };
    const [counts, asks] = fleet.fronts as [FleetProcess, FleetProcess];
    const pids = [nats, fleet.control, ...fleet.workers, ...fleet.fronts].map(({ pid }) => pid);
    const loads = [named('unary-1'), named('unary')].flatMap(scenario => [
      { ingress: 'counts' as const, origin: counts.url, scenario },
      { ingress: 'asks' as const, origin: asks.url, scenario },
    ]);
    const rows: LimitsRow[] = [];
    for (const load of loads) {
      const expected = await wholeText(fleet.simulator.url, load.scenario, signal);
      const job = { scenario: load.scenario, origin: load.origin, expected };
      const cost = (token: string, seconds = options.seconds) =>
        costOf(generator, { ...job, token, seconds }, pids, signal);
      for (const token of Object.values(tokens)) await cost(token, warmUpSeconds);
      const seen: { without: LimitsCost; with: LimitsCost }[] = [];
      for (let round = 0; round < options.rounds; round++) {
        // The order alternates, because the machine's speed may change.
        const first = round % 2 === 0 ? 'without' : 'with';
        const second = round % 2 === 0 ? 'with' : 'without';
        const costs = { [first]: await cost(tokens[first]), [second]: await cost(tokens[second]) };
        seen.push(costs as (typeof seen)[number]);
      }
      rows.push({ ingress: load.ingress, clients: load.scenario.clients, ...medians(seen) });
    }
    return { ...options, rows };
  } finally {
    await nats.stop();
  }
}

async function costOf(
  generator: Child,
  job: Job,
  pids: readonly number[],
  signal: AbortSignal,
): Promise<LimitsCost> {
  const cpuMs = () => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const before = cpuMs();
  generator.process.send(job);
  const late = AbortSignal.timeout(job.seconds * 1_000 + lateMs);
  const report = await generator.message<Report>(AbortSignal.any([signal, late]));
  if ('failed' in report) throw new Error(report.failed);
  const { endMs } = report.seen;
  return { cpuMs: (cpuMs() - before) / endMs.length, p50Ms: percentiles(endMs).p50 };
}

function medians(
  rounds: readonly Pick<LimitsRow, 'with' | 'without'>[],
): Pick<LimitsRow, 'with' | 'without' | 'more'> {
  const of = (read: (round: Pick<LimitsRow, 'with' | 'without'>, of: keyof LimitsCost) => number) => ({
    cpuMs: percentiles(rounds.map(round => read(round, 'cpuMs'))).p50,
    p50Ms: percentiles(rounds.map(round => read(round, 'p50Ms'))).p50,
  });
  return {
    without: of((round, figure) => round.without[figure]),
    with: of((round, figure) => round.with[figure]),
    more: of((round, figure) => round.with[figure] - round.without[figure]),
  };
}
