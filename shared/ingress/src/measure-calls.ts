import type { Caller } from '@model-gateway/bus';
import { Children, countedElsewhere, counter, gauge, histogram, type Registry } from '@model-gateway/service';
import type { TokenShares } from './token-shares.ts';

/** Measures how the calls of a process find workers. */
export function measureCalls(caller: Caller, metrics: Registry): void {
  gauge(metrics, 'gateway_requests_waiting', () => caller.waiting);
  countedElsewhere(metrics, 'gateway_workers_lost_total', () => caller.workersLost);
  countedElsewhere(metrics, 'gateway_worker_heartbeats_missed_total', () => caller.heartbeatsMissed);
  const queued = histogram(metrics, 'gateway_queue_seconds');
  const pools = new Children(pool => queued.labels(pool));
  caller.onAccepted = (pool, queuedMs) => pools.of(pool).observe(queuedMs / 1_000);
}

/** Counts the requests that the shares of their tokens refuse. */
export function countShareRefusals(shares: TokenShares, metrics: Registry): void {
  const refused = counter(metrics, 'gateway_shares_refused_total');
  for (const share of ['requests', 'sockets', 'bodies', 'uploads'] as const) {
    const of = refused.labels(share);
    of.inc(0);
    shares[share].onRefused = () => of.inc();
  }
}
