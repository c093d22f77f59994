import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, type Result, type Rig } from './bench.ts';
import { Child } from './child.ts';
import { startGateway } from './gateway.ts';
import { measureHostile } from './hostile.ts';
import { machine } from './machine.ts';
import { type Options, readOptions, usage } from './options.ts';
import { usageOf } from './process-usage.ts';
import { measureRealtime } from './realtime.ts';
import { type BenchReport, render } from './report.ts';
import { measureRevocation } from './revocation.ts';
import { startSimulator } from './simulator.ts';

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
  const hostile = options.hostile ? await measureHostile(rounds, signal) : undefined;
  const report = {
    machine: before,
    ...loads,
    ...(revocation && { revocation }),
    ...(realtime && { realtime }),
    ...(hostile && { hostile }),
  };
  console.log(options.json ? JSON.stringify(report, null, 2) : render(report));
  say(`\n${machine()}`);
}

async function measureLoads(
  options: Options,
  signal: AbortSignal,
): Promise<Pick<BenchReport, 'results' | 'residentMb'>> {
  if (options.scenarios.length === 0) return { results: [], residentMb: {} };
  using folder = temporaryFolder();
  await using simulator = await startSimulator(signal);
  await using gateway = await startGateway(folder.path, simulator.url, signal);
  await using generator = new Child('test/load/generator.ts', {}, 'inherit');
  await generator.message(signal);
  const rig: Rig = { simulator, gateway, generator };
  const results: Result[] = [];
  for (const scenario of options.scenarios) results.push(await measure(rig, scenario, options, signal));
  const pids = Object.entries({ ...gateway.pids, simulator: simulator.pid });
  const residentMb = Object.fromEntries(pids.map(([name, pid]) => [name, usageOf(pid).residentMb]));
  return { results, residentMb };
}

function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}
