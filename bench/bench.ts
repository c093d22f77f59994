import type { Child } from './child.ts';
import { type Figures, figuresOf, medians } from './figures.ts';
import type { Report } from './generator.ts';
import type { Job, Seen } from './load.ts';
import { watchOthers } from './machine.ts';
import type { Options } from './options.ts';
import { cpuMsOf } from './process-usage.ts';
import type { Scenario } from './scenarios.ts';
import type { StartedSimulator } from './simulator.ts';
import { MemoryWatch, type Target } from './target.ts';

/** The time that a load may take beyond its duration before it counts as stuck. */
const lateMs = 120_000;

/** The processes of one bench. */
export interface Rig {
  simulator: StartedSimulator;
  targets: readonly Target[];
  generator: Child;
}

/** The medians of a scenario's rounds. */
export interface Result {
  scenario: Scenario;
  /** By the name of the target. */
  figures: Record<string, Figures>;
  /**
   * The share of the machine's CPU that other processes took, from 0 to 1: a large share makes the figures
   * uncertain.
   */
  othersShare: number;
}

/** Measures a scenario in rounds of alternating order, because the machine's speed may change. */
export async function measure(
  rig: Rig,
  scenario: Scenario,
  options: Options,
  signal: AbortSignal,
): Promise<Result> {
  const { simulator, targets, generator } = rig;
  const pids = targets.flatMap(target => Object.values(target.pids));
  const others = watchOthers([process.pid, generator.pid, simulator.pid, ...pids]);
  const expected = await simulator.textOf(scenario);
  const rounds = new Map(targets.map((target): [Target, Figures[]] => [target, []]));
  for (let round = 0; round < options.rounds; round++) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const model = target.model(scenario.model);
      const { url: origin, token } = target;
      const job = { scenario: { ...scenario, model }, origin, token, seconds: options.seconds, expected };
      rounds.get(target)?.push(await figures(rig, target, job, options.warmUpSeconds, signal));
    }
  }
  const figuresBy = [...rounds].map(([{ name }, each]) => [name, medians(each)]);
  return { scenario, figures: Object.fromEntries(figuresBy), othersShare: others() };
}

/** One measurement, after a warm-up that does not count. */
async function figures(
  { simulator, generator }: Rig,
  target: Target,
  job: Job,
  warmUpSeconds: number,
  signal: AbortSignal,
): Promise<Figures> {
  const cpuMs = () => {
    const pids = Object.entries({ simulator: simulator.pid, ...target.pids });
    return Object.fromEntries(pids.map(([name, pid]) => [name, cpuMsOf(pid)]));
  };
  if (warmUpSeconds > 0) await run(generator, { ...job, seconds: warmUpSeconds }, signal);
  const before = cpuMs();
  using memory = new MemoryWatch(target);
  const seen = await run(generator, job, signal);
  return figuresOf(seen, difference(cpuMs(), before), memory.peakMb);
}

async function run(generator: Child, job: Job, signal: AbortSignal): Promise<Seen> {
  const late = AbortSignal.timeout(job.seconds * 1_000 + lateMs);
  generator.process.send(job);
  const report = await generator.message<Report>(AbortSignal.any([signal, late]));
  if ('failed' in report) throw new Error(report.failed);
  return report.seen;
}

function difference(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));
}
