import type { Result } from './bench.ts';
import type { Figures } from './figures.ts';
import type { RevocationFigures } from './revocation.ts';
import { table } from './table.ts';

/** What a bench found, as `--json` prints it. */
export interface BenchReport {
  machine: string;
  results: readonly Result[];
  /** Of each process at the end, in MiB. */
  residentMb: Record<string, number>;
  revocation?: RevocationFigures;
}

/** The report as tables for people. */
export function render({ results, residentMb, revocation }: BenchReport): string {
  const parts = [
    ...(results.length > 0 ? [loads(results, residentMb)] : []),
    ...(revocation ? [revocationTable(revocation)] : []),
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

function loads(results: readonly Result[], residentMb: Record<string, number>): string {
  const titles = results.map(
    ({ scenario: { name, title }, othersShare }) =>
      `${name}: ${title}; others used ${Math.round(othersShare * 100)} % of the machine`,
  );
  return `${loadTable(results)}

${titles.join('\n')}
first: ms to the first bytes of the answer's body; end: ms to its last
CPU: ms a request, of all processes of the gateway; a chunk: µs of that; simulator: ms a request of the upstream

${processTable(results, residentMb)}

ms of CPU a request by process; memory: MiB resident at the end`;
}

function loadTable(results: readonly Result[]): string {
  const head = ['', 'requests/s', 'first p50', 'p99', 'end p50', 'p99', 'CPU', 'a chunk', 'simulator'];
  const rows = results.flatMap(({ scenario: { name, chunks }, direct, gateway }) => {
    const { gatewayTotalCpuMs: cpu } = gateway;
    const chunk = chunks ? (cpu * 1_000) / chunks : '';
    return [
      [`${name} direct`, ...latencies(direct), '', '', direct.simulatorCpuMs],
      [`${name} gateway`, ...latencies(gateway), cpu, chunk, gateway.simulatorCpuMs],
    ];
  });
  return table(head, rows);
}

function latencies({ requestsPerSecond, firstMs, endMs }: Figures): number[] {
  return [requestsPerSecond, firstMs.p50, firstMs.p99, endMs.p50, endMs.p99];
}

function processTable(results: readonly Result[], residentMb: Record<string, number>): string {
  const head = ['', ...results.map(({ scenario }) => scenario.name), 'memory'];
  const rows = Object.entries(residentMb).map(([name, resident]) => [
    name,
    ...results.map(({ gateway }) => gateway.gatewayCpuMs[name] ?? gateway.simulatorCpuMs),
    resident,
  ]);
  return table(head, rows);
}
