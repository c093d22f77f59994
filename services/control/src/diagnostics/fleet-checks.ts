import type { PoolLoad } from '@model-gateway/bus';
import { gatewayVersion } from '@model-gateway/service';
import { type Check, failed, ok, type Result, warning } from './check.ts';
import { type FleetProcess, nameOf } from './fleet.ts';
import { skewOf } from './skew.ts';

/** The part of its memory from which on a process is near its limit. */
const nearlyFull = 0.9;
/** The part of a pool's capacity from which on it needs workers. */
const busy = 0.8;
const dayMs = 86_400_000;
/** The time before its end in which a certificate should be renewed, in milliseconds. */
const renewMs = 14 * dayMs;

export interface FleetChecks {
  processes(): Promise<FleetProcess[]>;
  /** The load of the pools with a live worker; undefined if it is not known. */
  loads(): PoolLoad[] | undefined;
  /** The pools of the catalog's providers; undefined if the catalog is not known. */
  requestedPools(): string[] | undefined;
}

const busAdvice = 'Control asks processes over NATS: see the check nats.';

/** The checks of all processes: versions, clocks, what they say of themselves, and the workers of each pool. */
export function fleetChecks({ processes, loads, requestedPools }: FleetChecks): Check[] {
  const check = (name: string, of: (all: FleetProcess[]) => Result[]): Check => ({
    name,
    advice: busAdvice,
    run: async () => of(await processes()),
  });
  return [
    check('processes', checkProcesses),
    check('versions', checkVersions),
    check('clocks', checkClocks),
    check('memory', checkMemory),
    check('certificates', checkCertificates),
    { name: 'workers', advice: busAdvice, run: async () => checkWorkers(loads(), requestedPools()) },
  ];
}

function checkProcesses(all: FleetProcess[]): Result[] {
  const counts = Map.groupBy(all, ({ service }) => service);
  const found = [...counts].map(([service, { length }]) => `${length} ${service}`).join(', ');
  return [
    ok(`these processes answer: ${found || 'none but this control'}`),
    ...all.flatMap(each => [
      ...each.problems.map(problem =>
        failed(`${nameOf(each)}: ${problem}`, 'Look at its log. It serves nobody meanwhile.'),
      ),
      ...each.notices.map(notice => warning(`${nameOf(each)}: ${notice}`, 'Look at its log.')),
    ]),
  ];
}

function checkVersions(all: FleetProcess[]): Result[] {
  const versions = Map.groupBy(
    [...all, { service: 'control', version: gatewayVersion, node: process.versions.node }],
    ({ version }) => version,
  );
  const nodes = new Set(all.map(({ node }) => node).concat(process.versions.node));
  const onNode = `Node ${[...nodes].sort().join(' and ')}`;
  if (versions.size === 1) return [ok(`all run ${gatewayVersion}, on ${onNode}`)];
  const found = [...versions]
    .map(
      ([version, each]) =>
        `${version} (${[...new Set(each.map(({ service }) => service))].sort().join(', ')})`,
    )
    .sort()
    .join(', ');
  return [
    warning(
      `several versions run: ${found}, on ${onNode}`,
      'Finish the update. Two neighbouring versions work together, but not for good.',
    ),
  ];
}

const limitsBreak = 'Deadlines of calls and rests of targets carry times from one process to another.';

function checkClocks(all: FleetProcess[]): Result[] {
  const wrong = all.flatMap(each => skewOf(nameOf(each), each.at, each.reading, limitsBreak));
  return wrong.length > 0
    ? wrong
    : [ok(`the clocks of ${countOf(all.length, 'process', 'processes')} agree with that of control`)];
}

function checkMemory(all: FleetProcess[]): Result[] {
  const full = all.filter(({ memory }) => memory.used >= memory.limit * nearlyFull);
  if (full.length === 0) return [ok('no process is near its limit of memory')];
  return full.map(each =>
    warning(
      `${nameOf(each)} uses ${mb(each.memory.used)} of ${mb(each.memory.limit)}`,
      'Give it more memory, or run more of them.',
    ),
  );
}

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

/** Checks the certificates of the processes' own TLS ports; the one that clients see is checked by the command. */
function checkCertificates(all: FleetProcess[]): Result[] {
  return all.flatMap(each => {
    if (each.certificateEndsAt === null) return [];
    const left = each.certificateEndsAt - Date.now();
    const ends = new Date(each.certificateEndsAt).toISOString();
    if (left <= 0) return [failed(`the certificate of ${nameOf(each)} ended at ${ends}`, 'Renew it.')];
    if (left < renewMs) return [warning(`the certificate of ${nameOf(each)} ends at ${ends}`, 'Renew it.')];
    return [ok(`the certificate of ${nameOf(each)} is valid until ${ends}`)];
  });
}

function checkWorkers(loads: PoolLoad[] | undefined, wanted: string[] | undefined): Result[] {
  if (!loads)
    return [
      warning(
        'the load of the workers is not known yet',
        'Try again in a few seconds, or see the check nats.',
      ),
    ];
  const live = new Map(loads.map(load => [load.pool, load]));
  const missing = (wanted ?? []).filter(pool => !live.has(pool));
  return [
    ...loads.map(({ pool, workers, callsInFlight, capacity }) =>
      callsInFlight >= capacity * busy
        ? warning(
            `the pool ${pool} is busy: ${callsInFlight} of ${capacity} calls on ${countOf(workers, 'worker')}`,
            'Run more workers.',
          )
        : ok(`the pool ${pool} has ${countOf(workers, 'worker')}, and ${callsInFlight} of ${capacity} calls`),
    ),
    ...missing.map(pool =>
      failed(
        `the pool ${pool} has no worker`,
        `Start a worker with GATEWAY_POOL=${pool}, or look at the logs of its workers: they need NATS.`,
      ),
    ),
    ...(loads.length + missing.length === 0 ? [warning('there is no worker', 'Start a worker.')] : []),
  ];
}
