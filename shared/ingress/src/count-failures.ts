import { Counter, type Registry } from '@model-gateway/service';
import type { TargetHealth } from './target-health.ts';

/** Counts the rests that a process begins, and the further attempts of its requests. */
export function countFailures(health: TargetHealth, metrics: Registry): void {
  const registers = [metrics];
  const rests = new Counter({
    name: 'gateway_target_rests_total',
    help: 'Rests of targets and keys that this process began',
    labelNames: ['provider', 'reason'],
    registers,
  });
  const attempts = {
    failover: new Counter({
      name: 'gateway_failovers_total',
      help: 'Attempts at another target after one failed',
      registers,
    }),
    retry: new Counter({
      name: 'gateway_retries_total',
      help: 'Attempts at the same target after all failed',
      registers,
    }),
    hedge: new Counter({
      name: 'gateway_hedges_total',
      help: 'Second attempts beside one that has not begun to answer',
      registers,
    }),
    refused: new Counter({
      name: 'gateway_retries_refused_total',
      help: 'Retries and hedges that the budget refused',
      registers,
    }),
  };
  health.onBegin = ({ provider, reason }) => rests.inc({ provider, reason });
  health.retries.onAttempt = kind => attempts[kind].inc();
}
