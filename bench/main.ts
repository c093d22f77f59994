import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { measure, type Result, type Rig } from './bench.ts';
import { Child } from './child.ts';
import { measureCores } from './cores.ts';
import { startGateway } from './gateway.ts';
import { measureHostile } from './hostile.ts';
import { measureIdleStreams } from './idle-streams.ts';
import { measureLimits } from './limits.ts';
import { machine } from './machine.ts';
import { type Options, readOptions, usage } from './options.ts';
import { page } from './page.ts';
import { memoryOf } from './process-usage.ts';
import { measureRealtime } from './realtime.ts';
import { type BenchReport, isQuiet, render } from './report.ts';
import { measureRevocation } from './revocation.ts';
import { startSimulator } from './simulator.ts';
import { direct, gatewayTarget, readOthers, startYardstick } from './target.ts';
import { measureTokens } from './tokens.ts';
import { measureTracing } from './tracing.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());

try {
  await bench(readOptions(process.argv.slice(2)), interrupted.signal);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(interrupted.signal.aborted ? 'bench: interrupted' : `bench: ${message}`);
  if (error instanceof TypeError) console.error(usage);
  process.exitCode = interrupted.signal.aborted ? 130 : 1;
}

/** Starts everything, measures, prints, and stops everything, also after an error. */
async function bench(options: Options, signal: AbortSignal): Promise<void> {
  const say = options.json ? () => {} : (text: string) => console.log(text);
  const before = machine();
  say(`${before}\n`);
  const loads = await measureLoads(options, signal);
  const { revocations } = options;
  const revocation = revocations > 0 ? await measureRevocation(revocations, signal) : undefined;
  const { seconds, rounds } = options;
  const realtime =
    options.realtime && (await measureRealtime({ ...options.realtime, seconds, rounds }, signal));
  const idleStreams = options.idleStreams && (await measureIdleStreams(options.idleStreams, signal));
  const cores = options.cores ? await measureCores({ seconds, rounds }, signal) : undefined;
  const hostile = options.hostile ? await measureHostile(rounds, signal) : undefined;
  const limits = options.limits ? await measureLimits({ seconds, rounds }, signal) : undefined;
  const tracing = options.tracing ? await measureTracing({ seconds, rounds }, signal) : undefined;
  const tokens = options.tokens > 0 ? await measureTokens(options.tokens, signal) : undefined;
  const report = {
    machine: before,
    quiet: isQuiet(loads.results),
    ...loads,
    ...(revocation && { revocation }),
    ...(realtime && { realtime }),
    ...(idleStreams && { idleStreams }),
    ...(cores && { cores }),
    ...(hostile && { hostile }),
    ...(limits && { limits }),
    ...(tracing && { tracing }),
    ...(tokens && { tokens }),
  };
  if (options.page) writeFileSync(options.page, page(report));
  console.log(options.json ? JSON.stringify(report, null, 2) : render(report));
  say(`\n${machine()}`);
}

async function measureLoads(
  options: Options,
  signal: AbortSignal,
): Promise<Pick<BenchReport, 'results' | 'memory'>> {
  if (options.scenarios.length === 0) return { results: [], memory: memoryOf({}) };
  const others = options.others ? readOthers(options.others) : [];
  await using simulator = await startSimulator(signal, options.simulatorPort);
  await using yardstick = await startYardstick(simulator, signal);
  await using gateway = await startGateway(simulator.url, signal);
  await using generator = new Child('bench/generator.ts', {}, 'inherit');
  await generator.message(signal);
  const targets = [direct(simulator), yardstick, gatewayTarget(gateway), ...others];
  const rig: Rig = { simulator, targets, generator };
  const results: Result[] = [];
  for (const scenario of options.scenarios) results.push(await measure(rig, scenario, options, signal));
  await pause(options.settleSeconds * 1_000, undefined, { signal });
  return { results, memory: memoryOf(gateway.pids) };
}
