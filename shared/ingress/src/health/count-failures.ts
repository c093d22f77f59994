import { counter, type Registry } from '@model-gateway/service';
import type { TargetHealth } from './target-health.ts';

/** Counts the rests that a process begins, and the further attempts of its requests. */
export function countFailures(health: TargetHealth, metrics: Registry): void {
  const rests = counter(metrics, 'gateway_target_rests_total');
  const attempts = {
    failover: counter(metrics, 'gateway_failovers_total'),
    retry: counter(metrics, 'gateway_retries_total'),
    hedge: counter(metrics, 'gateway_hedges_total'),
    refused: counter(metrics, 'gateway_retries_refused_total'),
  };
  health.onBegin = ({ provider, reason }) => rests.inc({ provider, reason });
  health.retries.onAttempt = kind => attempts[kind].inc();
}
