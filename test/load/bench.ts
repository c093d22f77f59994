import type { Child } from './child.ts';
import { type Figures, figuresOf, medians } from './figures.ts';
import type { StartedGateway } from './gateway.ts';
import type { Report } from './generator.ts';
import type { Job, Seen } from './load.ts';
import { watchOthers } from './machine.ts';
import type { Options } from './options.ts';
import { usageOf } from './process-usage.ts';
import type { Scenario } from './scenarios.ts';
import type { StartedSimulator } from './simulator.ts';

/** The time that a load may take beyond its duration before it counts as stuck. */
const lateMs = 120_000;

/** The processes of one bench. */
export interface Rig {
  simulator: StartedSimulator;
  gateway: StartedGateway;
  generator: Child;
}

/** The medians of a scenario's rounds. */
export interface Result {
  scenario: Scenario;
  direct: Figures;
  gateway: Figures;
  /**
   * The share of the machine's CPU that other processes took, from 0 to 1: a large share makes the figures
   * uncertain.
   */
  othersShare: number;
}

type Target = 'direct' | 'gateway';

/** Measures a scenario in rounds of alternating order, because the machine's speed may change. */
export async function measure(
  rig: Rig,
  scenario: Scenario,
  options: Options,
  signal: AbortSignal,
): Promise<Result> {
  const { simulator, gateway, generator } = rig;
  const others = watchOthers([process.pid, generator.pid, simulator.pid, ...Object.values(gateway.pids)]);
  const expected = await simulator.textOf(scenario);
  const rounds: Record<Target, Figures[]> = { direct: [], gateway: [] };
  for (let round = 0; round < options.rounds; round++) {
    const order: Target[] = round % 2 === 0 ? ['direct', 'gateway'] : ['gateway', 'direct'];
    for (const target of order) {
      const { url: origin } = target === 'direct' ? simulator : gateway;
      const job = { scenario, origin, token: gateway.token, seconds: options.seconds, expected };
      rounds[target].push(await figures(rig, target, job, options.warmUpSeconds, signal));
    }
  }
  const { direct, gateway: through } = rounds;
  return { scenario, direct: medians(direct), gateway: medians(through), othersShare: others() };
}

/** One measurement, after a warm-up that does not count. */
async function figures(
  rig: Rig,
  target: Target,
  job: Job,
  warmUpSeconds: number,
  signal: AbortSignal,
): Promise<Figures> {
  if (warmUpSeconds > 0) await run(rig.generator, { ...job, seconds: warmUpSeconds }, signal);
  const before = cpuMs(rig, target);
  const seen = await run(rig.generator, job, signal);
  return figuresOf(seen, difference(cpuMs(rig, target), before));
}

async function run(generator: Child, job: Job, signal: AbortSignal): Promise<Seen> {
  const late = AbortSignal.timeout(job.seconds * 1_000 + lateMs);
  generator.process.send(job);
  const report = await generator.message<Report>(AbortSignal.any([signal, late]));
  if ('failed' in report) throw new Error(report.failed);
  return report.seen;
}

/** The usage so far of each process that takes part. */
function cpuMs({ simulator, gateway }: Rig, target: Target): Record<string, number> {
  const pids = { simulator: simulator.pid, ...(target === 'gateway' && gateway.pids) };
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, usageOf(pid).cpuMs]));
}

function difference(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));
}
