import { randomUUID } from 'node:crypto';
import { type Access, Limiter, openAccess } from '@model-gateway/access';
import { Caller, type Faults } from '@model-gateway/bus';
import { attemptNames, type Catalog, openCatalog } from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import {
  Children,
  type ClientAddress,
  countedElsewhere,
  counter,
  gauge,
  histogram,
  loggedAddress,
  openUsageWriter,
  type Registry,
  type ServiceContext,
  type Settings,
  usageNotices,
} from '@model-gateway/service';
import { OpenAnswers } from '../answer/response-sink.ts';
import { recordLost } from '../attempts/lost-attempts.ts';
import type { TraceDeps } from '../attempts/request-trace.ts';
import { Prices } from '../costs/prices.ts';
import { RecentOutputs } from '../costs/recent-outputs.ts';
import { shareHealth } from '../health/shared-health.ts';
import { countFailures, TargetHealth } from '../health/target-health.ts';
import { RequestLogs } from '../logging/request-logs.ts';
import { MemoryBudget } from '../memory/budgets.ts';
import { shareSettings, type TokenShares, tokenShares } from '../memory/token-shares.ts';
import { RunningRequests } from '../running/running-requests.ts';
import { recordEnd, recordRecovered } from './record-end.ts';
import { Refusals } from './refusals.ts';
import { createObserver, type Observer, RequestLines, requestLineSettings } from './request-line.ts';

/** Settings of the shared parts. */
export const ingressDepsSettings = [
  ...shareSettings,
  'GATEWAY_SPOOL',
  'GATEWAY_STALE_LIMIT',
  'GATEWAY_LIMITS_POLICY',
  'GATEWAY_CORS_ORIGINS',
  'GATEWAY_TRACE_CLIENTS',
  ...requestLineSettings,
] as const;
export type IngressDepsSetting = (typeof ingressDepsSettings)[number];

/** The parts that all ingress services of a process share. */
export interface IngressDeps {
  /** The time of requests and of what limits them. */
  clock: Clock;
  /** Takes what callbacks throw. */
  faults: Faults;
  access: Access;
  catalog: Catalog;
  caller: Caller;
  /** The state of every target. */
  health: TargetHealth;
  /** Per-token limits of this process. */
  shares: TokenShares;
  /** Applies the limits of tokens and projects, over all processes. */
  limiter: Limiter;
  /** Knows what requests cost. */
  prices: Prices;
  /** The sizes of recent answers. */
  outputs: RecentOutputs;
  /** The responses that are being written. */
  answers: OpenAnswers;
  held: MemoryBudget;
  /** Budget of uploads on disk. */
  spooled: MemoryBudget;
  /** The folder for uploads. */
  spool: string;
  /** Counts, times and logs requests. */
  observer: Observer;
  /** Makes the traces of requests. */
  traces: TraceDeps;
  /** The requests in flight. */
  running: RunningRequests;
  /** Logs requests of projects with request logging. */
  logs: RequestLogs;
  clientAddress: ClientAddress;
  /** Messages for the operator, one sentence each. */
  notices(): string[];
  close(): Promise<void>;
}

/** Opens the shared parts, once per process. */
export function openIngressDeps(
  context: ServiceContext,
  settings: Settings<IngressDepsSetting>,
): Promise<IngressDeps> {
  return context.shared.get(open, () => open(context, settings));
}

async function open(process: ServiceContext, settings: Settings<IngressDepsSetting>): Promise<IngressDeps> {
  const bus = await process.bus();
  const { clock } = bus;
  const [tokens, models, caller] = await Promise.all([
    openAccess(bus, settings.GATEWAY_STALE_LIMIT),
    openCatalog(bus),
    Caller.open(bus),
  ]);
  const shares = tokenShares(settings);
  const usage = openUsageWriter(bus, process, record => attemptNames(models.catalog, record));
  caller.onLost = attempts => {
    for (const record of recordLost(attempts, clock.now())) usage.add(record);
  };
  const watches = [tokens.watch, models.watch];
  const id = randomUUID();
  const health = new TargetHealth(id, clock);
  const outputs = new RecentOutputs(id, clock);
  caller.onAnswered = answer => outputs.answered(answer);
  const limiter = new Limiter(bus, settings.GATEWAY_LIMITS_POLICY);
  const logs = new RequestLogs(bus, process);
  const prices = new Prices(models.catalog, clock);
  const running = new RunningRequests(bus);
  running.recovered = entry => recordRecovered(entry, usage);
  const closed = new AbortController();
  await shareHealth(bus, health, outputs, closed.signal);
  countFailures(health, process.metrics);
  measureLimiter(limiter, process.metrics);
  measureCalls(caller, process.metrics);
  countShareRefusals(shares, process.metrics);
  const refusals = new Refusals(clock, record => usage.addBeside(record));
  const lines = new RequestLines(process.log, prices, settings);
  return {
    ...{ clock, faults: bus.faults, access: tokens.access, catalog: models.catalog, caller, health },
    shares,
    limiter,
    prices,
    outputs,
    answers: new OpenAnswers(clock, bus.faults),
    held: new MemoryBudget(settings.GATEWAY_BODY_BUDGET, shares.bodies),
    spooled: new MemoryBudget(settings.GATEWAY_SPOOL_BUDGET, shares.uploads, 'upload_space_full'),
    spool: settings.GATEWAY_SPOOL,
    observer: createObserver(process.metrics, lines, clock, request => recordEnd(request, usage, refusals)),
    traces: {
      tracing: process.tracing,
      readsClients: settings.GATEWAY_TRACE_CLIENTS !== 'ignore',
      catalog: models.catalog,
      address: loggedAddress(settings.LOG_CLIENT),
    },
    running,
    logs,
    clientAddress: process.clientAddress,
    notices() {
      const stale = Math.max(...watches.map(watch => watch.staleMs()));
      const notice = `tokens and models may be out of date: no update from NATS for ${Math.round(stale / 1000)} s`;
      return [...models.catalog.notices, ...(stale > 0 ? [notice] : []), ...usageNotices(usage)];
    },
    async close() {
      closed.abort();
      running.close();
      await limiter.close();
      caller.close();
      for (const watch of watches) watch.stop();
      refusals.flush();
      await Promise.all([usage.close(), logs.close()]);
    },
  };
}

/** Measures how the calls of a process find workers. */
function measureCalls(caller: Caller, metrics: Registry): void {
  gauge(metrics, 'gateway_requests_waiting', () => caller.waiting);
  countedElsewhere(metrics, 'gateway_workers_lost_total', () => caller.workersLost);
  countedElsewhere(metrics, 'gateway_worker_heartbeats_missed_total', () => caller.heartbeatsMissed);
  const queued = histogram(metrics, 'gateway_queue_seconds');
  const pools = new Children(pool => queued.labels(pool));
  caller.onAccepted = (pool, queuedMs) => pools.of(pool).observe(queuedMs / 1_000);
}

/** Counts the requests that the shares of their tokens refuse. */
function countShareRefusals(shares: TokenShares, metrics: Registry): void {
  const refused = counter(metrics, 'gateway_shares_refused_total');
  for (const share of ['requests', 'sockets', 'bodies', 'uploads'] as const) {
    const of = refused.labels(share);
    of.inc(0);
    shares[share].onRefused = () => of.inc();
  }
}

const limits = ['requestsPerMinute', 'tokensPerMinute', 'concurrency', 'budget'] as const;

/** Measures which process counts limits and budgets, and the requests that they refuse. */
function measureLimiter(limiter: Pick<Limiter, 'isLeader' | 'onRefused'>, metrics: Registry): void {
  gauge(metrics, 'gateway_limits_leader', () => Number(limiter.isLeader));
  const refused = counter(metrics, 'gateway_limits_refused_total');
  for (const limit of limits) refused.inc({ limit }, 0);
  limiter.onRefused = limit => refused.inc({ limit });
}
