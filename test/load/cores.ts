import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Child } from './child.ts';
import { percentiles } from './figures.ts';
import { startGateway } from './gateway.ts';
import type { Report } from './generator.ts';
import { cpuMsOf } from './process-usage.ts';
import { named } from './scenarios.ts';
import { startSimulator } from './simulator.ts';

const scenario = named('unary');
/** A process has compiled the code of requests after some 20,000 of them; two fronts and two workers share the load. */
const warmUpSeconds = 20;
const lateMs = 60_000;

export interface CoresOptions {
  /** The duration of a round. */
  seconds: number;
  rounds: number;
}

/** The median of the rounds. */
interface CoresCost {
  /** CPU of the gateway's processes for a request, in milliseconds. */
  cpuMs: number;
  requestsPerSecond: number;
}

/** The cost of whole answers with everything on one core and one front and worker, and on two cores with two of each. */
export interface CoresFigures extends CoresOptions {
  one: CoresCost;
  two: CoresCost;
}

/** Measures both in turns. Linux alone lets processes be pinned to cores. */
export async function measureCores(options: CoresOptions, signal: AbortSignal): Promise<CoresFigures> {
  const rounds = { one: [] as CoresCost[], two: [] as CoresCost[] };
  for (let round = 0; round < options.rounds; round++) {
    rounds.one.push(await measure(1, options.seconds, signal));
    rounds.two.push(await measure(2, options.seconds, signal));
  }
  return { ...options, one: median(rounds.one), two: median(rounds.two) };
}

async function measure(cores: number, seconds: number, signal: AbortSignal): Promise<CoresCost> {
  const count = String(cores);
  await using simulator = await startSimulator(signal);
  const counts = { GATEWAY_FRONTS: count, GATEWAY_WORKERS: count };
  await using gateway = await startGateway(simulator.url, signal, counts);
  await using generator = new Child('test/load/generator.ts', {}, 'inherit');
  await generator.message(signal);
  for (const pid of [simulator.pid, generator.pid, ...Object.values(gateway.pids)]) pin(pid, cores);
  const expected = await simulator.textOf(scenario);
  const job = { scenario, origin: gateway.url, token: gateway.token, expected };
  const run = async (seconds: number) => {
    generator.process.send({ ...job, seconds });
    const late = AbortSignal.timeout(seconds * 1_000 + lateMs);
    const report = await generator.message<Report>(AbortSignal.any([signal, late]));
    if ('failed' in report) throw new Error(report.failed);
    return report.seen;
  };
  await run(warmUpSeconds);
  await pause(1_000, undefined, { signal });
  const cpuMs = () => Object.values(gateway.pids).reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const before = cpuMs();
  const seen = await run(seconds);
  const requests = seen.endMs.length;
  return { cpuMs: (cpuMs() - before) / requests, requestsPerSecond: requests / seen.seconds };
}

/** Lets all threads of a process run on the first `cores` cores alone. */
function pin(pid: number, cores: number): void {
  execFileSync('taskset', ['-a', '-c', '-p', `0-${cores - 1}`, String(pid)], { stdio: 'ignore' });
}

function median(rounds: readonly CoresCost[]): CoresCost {
  const of = (read: (round: CoresCost) => number) => percentiles(rounds.map(read)).p50;
  return { cpuMs: of(({ cpuMs }) => cpuMs), requestsPerSecond: of(round => round.requestsPerSecond) };
}
