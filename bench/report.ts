import type { Result } from './bench.ts';
import type { CoresCost, CoresFigures } from './cores.ts';
import type { Figures } from './figures.ts';
import type { AttackFigures } from './hostile.ts';
import type { IdleStreamFigures } from './idle-streams.ts';
import type { LimitsFigures } from './limits.ts';
import type { Memory } from './process-usage.ts';
import type { RealtimeFigures } from './realtime.ts';
import type { RevocationFigures } from './revocation.ts';
import { table } from './table.ts';
import type { TokensFigures } from './tokens.ts';
import type { TracingFigures } from './tracing.ts';

/** The result of a bench, as `--json` prints it. */
export interface BenchReport {
  machine: string;
  /** False if other processes took so much CPU that the figures hold within this run alone. */
  quiet: boolean;
  results: readonly Result[];
  /** The gateway's memory at the end. */
  memory: Memory;
  revocation?: RevocationFigures;
  realtime?: RealtimeFigures;
  idleStreams?: IdleStreamFigures;
  cores?: CoresFigures;
  hostile?: readonly AttackFigures[];
  limits?: LimitsFigures;
  tracing?: TracingFigures;
  tokens?: TokensFigures;
}

/** The report as readable tables. */
export function render({
  results,
  memory,
  revocation,
  realtime,
  idleStreams,
  cores,
  hostile,
  limits,
  tracing,
  tokens,
}: BenchReport): string {
  const parts = [
    ...(results.length > 0 ? [loads(results, memory)] : []),
    ...(revocation ? [revocationTable(revocation)] : []),
    ...(realtime ? [realtimeTables(realtime)] : []),
    ...(idleStreams ? [idleStreamTable(idleStreams)] : []),
    ...(cores ? [coresTable(cores)] : []),
    ...(hostile ? [hostileTable(hostile)] : []),
    ...(limits ? [limitsTable(limits)] : []),
    ...(tracing ? [tracingTable(tracing)] : []),
    ...(tokens ? [tokensTable(tokens)] : []),
  ];
  return parts.join('\n\n');
}

function revocationTable({ rounds, refusedMs, endedMs }: RevocationFigures): string {
  const rows = [
    ['until the token is refused', refusedMs.p50, refusedMs.p99],
    ['until its streams have ended', endedMs.p50, endedMs.p99],
  ];
  return `${table(['revocation', 'p50', 'p99'], rows)}

ms from the answer to the DELETE, on the last of three fronts; ${rounds} tokens`;
}

function realtimeTables({ idle, active, sessionKb, eventCpuUs, direct, gateway }: RealtimeFigures): string {
  const processes = table(
    ['realtime', ...Object.keys(sessionKb), 'all'],
    [withSum('KiB an idle session', sessionKb), withSum('µs of CPU an event and its answer', eventCpuUs)],
  );
  const times = table(
    ['', 'p50', 'p99'],
    [
      ['direct', direct.p50, direct.p99],
      ['gateway', gateway.p50, gateway.p99],
      ['added', gateway.p50 - direct.p50, gateway.p99 - direct.p99],
    ],
  );
  return `${processes}

KiB of memory, over ${idle} sessions at once; CPU while the sessions below speak

${times}

ms from an event to the one that answers it; ${active} sessions, 20 events a second each`;
}

function idleStreamTable({ streams, streamKb }: IdleStreamFigures): string {
  return `${table(['idle streams', ...Object.keys(streamKb), 'all'], [withSum('KiB a stream', streamKb)])}

KiB of memory, over ${streams} streams at once whose upstream is silent`;
}

function coresTable({ one, two, twoBusier }: CoresFigures): string {
  const times = (name: string, { cpuMs, requestsPerSecond }: CoresCost) => [
    name,
    cpuMs / one.cpuMs,
    requestsPerSecond / one.requestsPerSecond,
  ];
  const rows = [
    ['one core, a front and a worker', one.cpuMs, one.requestsPerSecond],
    ['two cores, two of each', two.cpuMs, two.requestsPerSecond],
    ['two cores, two of each, twice the clients', twoBusier.cpuMs, twoBusier.requestsPerSecond],
    times('times', two),
    times('times, with twice the clients', twoBusier),
  ];
  return `${table(['cores', 'CPU', 'requests/s'], rows)}

ms of CPU a request of the gateway's processes; simulator and clients run on the same cores`;
}

function limitsTable({ rows }: LimitsFigures): string {
  const head = ['limits', 'CPU without', 'with', 'more', 'p50 without', 'with', 'more'];
  const names = { counts: 'the ingress that counts', asks: 'one that asks it' };
  const lines = rows.map(({ ingress, clients, without, with: limited, more }) => [
    `${names[ingress]}, ${clients === 1 ? '1 client' : `${clients} clients`}`,
    ...[without.cpuMs, limited.cpuMs, more.cpuMs],
    ...[without.p50Ms, limited.p50Ms, more.p50Ms],
  ]);
  return `${table(head, lines)}

ms of CPU a request of the gateway's processes, and ms to the end of a whole answer, of a token without limits and of one with;
more: the median of the differences within each round`;
}

function tracingTable({ rows }: TracingFigures): string {
  const head = ['traces', 'CPU without', 'with', 'more', 'p50 without', 'with', 'more'];
  const lines = rows.map(({ scenario, sampled, without, with: traced, more }) => [
    `${scenario}, ${sampled * 100} % sampled`,
    ...[without.cpuMs, traced.cpuMs, more.cpuMs],
    ...[without.p50Ms, traced.p50Ms, more.p50Ms],
  ]);
  return `${table(head, lines)}

ms of CPU a request of a front and a worker, and ms to the end of an answer, without a collector and with one;
more: the median of the differences within each round`;
}

function tokensTable({ tokens, none, all, publishedMs }: TokensFigures): string {
  const row = (name: string, { readyMs, memoryMb }: TokensFigures['all']) => [name, readyMs, memoryMb];
  const more = { readyMs: all.readyMs - none.readyMs, memoryMb: all.memoryMb - none.memoryMb };
  const rows = [row('1', none), row(String(tokens), all), row('more', more)];
  return `${table(['tokens', 'ready', 'memory'], rows)}

ms from the start of an ingress until it is ready; MiB of its own memory then; control took ${Math.round(publishedMs)} ms to start and publish them`;
}

/** A row of a table: a figure of each process, and the sum. */
function withSum(name: string, of: Record<string, number>): (string | number)[] {
  const each = Object.values(of);
  return [name, ...each, each.reduce((sum, one) => sum + one, 0)];
}

function hostileTable(attacks: readonly AttackFigures[]): string {
  const processes = Object.keys(attacks[0]?.blockedMs ?? {});
  const rows = attacks.map(({ name, blockedMs, gapMs, answerMs, healthMs }) => [
    name,
    ...processes.map(process => blockedMs[process] ?? 0),
    gapMs,
    answerMs,
    healthMs,
  ]);
  const failures = attacks.flatMap(({ name, failures }) => failures.map(failure => `${name}: ${failure}`));
  return `${table(['attack', ...processes, 'gap', 'answer', 'healthz'], rows)}

ms: the longest that each process's event loop was blocked; the longest gap of a victim's stream of ten chunks a second,
its slowest other answer, and the slowest GET /healthz
${failures.length > 0 ? failures.join('\n') : 'no attack had another answer than it should, and nothing failed for the victim'}`;
}

function loads(results: readonly Result[], memory: Memory): string {
  const titles = results.map(
    ({ scenario: { name, title }, othersShare }) =>
      `${name}: ${title}; others used ${Math.round(othersShare * 100)} % of the machine`,
  );
  return `${costTable(results)}

CPU of all processes of a target: ms a request, of a paced scenario µs a chunk; in brackets the ratio to the yardstick
added: p50 to the end of a whole answer, or to the first bytes of a stream, in ms beyond the yardstick's
gap p99: ms between two reads of a paced stream; memory: the most that all processes had at once, in MiB
${isQuiet(results) ? 'The machine was quiet.' : 'The machine was NOT quiet: take ratios within this run alone.'}

${loadTable(results)}

${titles.join('\n')}
first: ms to the first bytes of the answer's body; end: ms to its last
simulator: ms of CPU a request of the upstream

${processTable(results, memory)}

ms of CPU a request by process of the gateway; memory: MiB at the end, what processes share counted once`;
}

/** The most of the machine that others may use in a quiet run, as a share from 0 to 1. */
const quietShare = 0.05;

/** True if other processes and other virtual machines took so little CPU that figures may be compared with those of other runs. */
export function isQuiet(results: readonly Result[]): boolean {
  return results.every(({ othersShare }) => othersShare <= quietShare);
}

/** A figure of a target, with its ratio to the yardstick's. */
export interface Cost {
  target: string;
  /** In ms a request, or in µs a chunk of a paced scenario. */
  cpu: number;
  /** NaN if the yardstick used no measurable CPU. */
  ratio: number;
  /** In ms beyond the yardstick's. */
  addedMs: number;
  gapP99Ms: number;
  peakMb: number;
}

/** Returns what each target but the simulator itself costs under a load. */
export function costs({ scenario, figures }: Result): Cost[] {
  const { yardstick } = figures;
  if (!yardstick) return [];
  const { chunks, paced } = scenario;
  const cpuOf = ({ totalCpuMs }: Figures) => (paced ? (totalCpuMs * 1_000) / (chunks ?? 1) : totalCpuMs);
  const waitOf = ({ firstMs, endMs }: Figures) => (chunks === null ? endMs.p50 : firstMs.p50);
  return Object.entries(figures)
    .filter(([target]) => target !== 'direct')
    .map(([target, each]) => ({
      target,
      cpu: cpuOf(each),
      ratio: cpuOf(each) / cpuOf(yardstick),
      addedMs: waitOf(each) - waitOf(yardstick),
      gapP99Ms: each.gapMs.p99,
      peakMb: each.peakMb,
    }));
}

function costTable(results: readonly Result[]): string {
  const head = ['', 'CPU', 'ratio', 'added', 'gap p99', 'memory'];
  const rows = results.flatMap(result =>
    costs(result).map(({ target, cpu, ratio, addedMs, gapP99Ms, peakMb }) => [
      `${result.scenario.name} ${target}`,
      cpu,
      `(${ratio.toFixed(2)})`,
      addedMs,
      result.scenario.paced ? gapP99Ms : '',
      peakMb,
    ]),
  );
  return table(head, rows);
}

function loadTable(results: readonly Result[]): string {
  const head = ['', 'requests/s', 'first p50', 'p99', 'end p50', 'p99', 'simulator'];
  const rows = results.flatMap(({ scenario: { name }, figures }) =>
    Object.entries(figures).map(([target, each]) => [
      `${name} ${target}`,
      ...latencies(each),
      each.simulatorCpuMs,
    ]),
  );
  return table(head, rows);
}

function latencies({ requestsPerSecond, firstMs, endMs }: Figures): number[] {
  return [requestsPerSecond, firstMs.p50, firstMs.p99, endMs.p50, endMs.p99];
}

function processTable(results: readonly Result[], memory: Memory): string {
  const head = ['', ...results.map(({ scenario }) => scenario.name), 'memory'];
  const rows = memoryRows(memory).map(([name, mb]) => {
    const cpu = ({ cpuMs, totalCpuMs }: Figures) => (name === 'all' ? totalCpuMs : (cpuMs[name] ?? ''));
    return [name, ...results.map(({ figures: { gateway } }) => (gateway ? cpu(gateway) : '')), mb];
  });
  return table(head, rows);
}

/** Each process's own memory, the memory that they share, and the sum, in MiB. */
export function memoryRows({ own, shared, all }: Memory): [name: string, mb: number][] {
  return [...Object.entries(own), ['shared', shared], ['all', all]];
}
