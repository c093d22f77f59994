// `npm run profile -- front --scenario paced-50`: a CPU profile of one process of a gateway under a load.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Child } from './child.ts';
import { profileOf, selfTimes } from './cpu-profile.ts';
import { startGateway } from './gateway.ts';
import type { Report } from './generator.ts';
import type { Job } from './load.ts';
import { named } from './scenarios.ts';
import { startSimulator } from './simulator.ts';
import { table } from './table.ts';

const warmUpSeconds = 3;
/** The number of functions that are printed. */
const shown = 40;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scenario: { type: 'string', default: 'unary' },
    seconds: { type: 'string', default: '5' },
    output: { type: 'string' },
  },
});
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort());

try {
  await profile(positionals[0] ?? 'front', interrupted.signal);
} catch (error) {
  console.error(`profile: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function profile(name: string, signal: AbortSignal): Promise<void> {
  const scenario = named(values.scenario);
  await using simulator = await startSimulator(signal);
  await using gateway = await startGateway(simulator.url, signal);
  const pid = gateway.pids[name];
  if (!pid) throw new Error(`there is no process '${name}', only ${Object.keys(gateway.pids).join(', ')}`);
  await using generator = new Child('bench/generator.ts', {}, 'inherit');
  await generator.message(signal);
  const expected = await simulator.textOf(scenario);
  const job: Job = {
    scenario,
    origin: gateway.url,
    token: gateway.token,
    seconds: warmUpSeconds,
    expected,
  };
  await run(generator, job, signal);
  const measured = { ...job, seconds: Number(values.seconds) };
  const profile = await profileOf(pid, () => run(generator, measured, signal));
  const file = values.output ?? `${name}-${scenario.name}.cpuprofile`;
  writeFileSync(file, JSON.stringify(profile));
  const rows = selfTimes(profile).slice(0, shown);
  console.log(
    table(
      [`${name}, ${scenario.name}`, '% of busy time'],
      rows.map(({ at, share }) => [at, share * 100]),
    ),
  );
  console.log(`\nThe whole profile is in ${file}; the developer tools of a browser open it.`);
}

async function run(generator: Child, job: Job, signal: AbortSignal): Promise<void> {
  generator.process.send(job);
  const report = await generator.message<Report>(signal);
  if ('failed' in report) throw new Error(report.failed);
}
