import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Child } from './child.ts';
import { percentiles } from './figures.ts';
import { type StartedGateway, startGateway } from './gateway.ts';
import type { Report } from './generator.ts';
import type { Job } from './load.ts';
import { cpuMsOf } from './process-usage.ts';
import { named } from './scenarios.ts';
import { startSimulator } from './simulator.ts';

const scenario = named('unary');
/** V8 has compiled the code of requests in each process after some 50,000 of them. */
const warmUpTurns = 8;
/** Shorter than the pause after which an idle process discards that code. */
const warmUpSeconds = 10;
const lateMs = 60_000;

export interface CoresOptions {
  /** The duration of a round. */
  seconds: number;
  rounds: number;
}

/** The median of the rounds. */
export interface CoresCost {
  /** CPU of the gateway's processes for a request, in milliseconds. */
  cpuMs: number;
  requestsPerSecond: number;
}

/**
 * The cost of whole answers with everything on one core and one front and worker, and on two cores with two of each:
 * with as many clients, and with as many for each front.
 */
export interface CoresFigures extends CoresOptions {
  one: CoresCost;
  two: CoresCost;
  twoBusier: CoresCost;
}

/** Measures all in turns, warm. Linux alone lets processes be pinned to cores. */
export async function measureCores(
  { seconds, rounds }: CoresOptions,
  signal: AbortSignal,
): Promise<CoresFigures> {
  await using one = await Pinned.start(1, signal);
  await using two = await Pinned.start(2, signal);
  for (let turn = 0; turn < warmUpTurns; turn++) {
    await one.load(warmUpSeconds);
    await two.load(warmUpSeconds);
  }
  const costs = { one: [] as CoresCost[], two: [] as CoresCost[], twoBusier: [] as CoresCost[] };
  for (let round = 0; round < rounds; round++) {
    costs.one.push(await one.measure(seconds));
    costs.two.push(await two.measure(seconds));
    costs.twoBusier.push(await two.measure(seconds, 2 * scenario.clients));
  }
  const { one: ofOne, two: ofTwo, twoBusier } = costs;
  return { seconds, rounds, one: median(ofOne), two: median(ofTwo), twoBusier: median(twoBusier) };
}

/** A gateway, its load and its upstream on the first cores, with as many fronts and workers as cores. */
class Pinned implements AsyncDisposable {
  readonly #gateway: StartedGateway;
  readonly #generator: Child;
  readonly #job: Omit<Job, 'seconds'>;
  readonly #started: AsyncDisposableStack;
  readonly #signal: AbortSignal;

  private constructor(
    gateway: StartedGateway,
    generator: Child,
    job: Omit<Job, 'seconds'>,
    started: AsyncDisposableStack,
    signal: AbortSignal,
  ) {
    this.#gateway = gateway;
    this.#generator = generator;
    this.#job = job;
    this.#started = started;
    this.#signal = signal;
  }

  static async start(cores: number, signal: AbortSignal): Promise<Pinned> {
    await using started = new AsyncDisposableStack();
    const count = String(cores);
    const simulator = started.use(await startSimulator(signal));
    const counts = { GATEWAY_FRONTS: count, GATEWAY_WORKERS: count };
    const gateway = started.use(await startGateway(simulator.url, signal, counts));
    const generator = started.use(new Child('bench/generator.ts', {}, 'inherit'));
    await generator.message(signal);
    for (const pid of [simulator.pid, generator.pid, ...Object.values(gateway.pids)]) pin(pid, cores);
    for (const { pid } of [simulator, generator]) useBatchScheduling(pid);
    const expected = await simulator.textOf(scenario);
    const job = { scenario, origin: gateway.url, token: gateway.token, expected };
    return new Pinned(gateway, generator, job, started.move(), signal);
  }

  /** Sends the load, and returns what the clients saw. */
  async load(seconds: number, clients = scenario.clients) {
    const job = { ...this.#job, scenario: { ...scenario, clients }, seconds };
    this.#generator.process.send(job satisfies Job);
    const late = AbortSignal.timeout(seconds * 1_000 + lateMs);
    const report = await this.#generator.message<Report>(AbortSignal.any([this.#signal, late]));
    if ('failed' in report) throw new Error(report.failed);
    return report.seen;
  }

  async measure(seconds: number, clients?: number): Promise<CoresCost> {
    await pause(1_000, undefined, { signal: this.#signal });
    const cpuMs = () => Object.values(this.#gateway.pids).reduce((sum, pid) => sum + cpuMsOf(pid), 0);
    const before = cpuMs();
    const seen = await this.load(seconds, clients);
    const requests = seen.endMs.length;
    return { cpuMs: (cpuMs() - before) / requests, requestsPerSecond: requests / seen.seconds };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync();
  }
}

/** Lets all threads of a process run on the first `cores` cores alone. */
function pin(pid: number, cores: number): void {
  execFileSync('taskset', ['-a', '-c', '-p', `0-${cores - 1}`, String(pid)], { stdio: 'ignore' });
}

/** The scheduling policy of the gateway's own processes: the load does not interrupt them, as one of another machine. */
function useBatchScheduling(pid: number): void {
  execFileSync('chrt', ['-a', '-b', '-p', '0', String(pid)], { stdio: 'ignore' });
}

function median(rounds: readonly CoresCost[]): CoresCost {
  const of = (read: (round: CoresCost) => number) => percentiles(rounds.map(read)).p50;
  return { cpuMs: of(({ cpuMs }) => cpuMs), requestsPerSecond: of(round => round.requestsPerSecond) };
}
