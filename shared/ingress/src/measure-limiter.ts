import type { Limiter } from '@model-gateway/access';
import { counter, gauge, type Registry } from '@model-gateway/service';

/** Measures which process counts limits and budgets, and the requests that they refuse. */
export function measureLimiter(limiter: Pick<Limiter, 'isLeader' | 'onRefused'>, metrics: Registry): void {
  gauge(metrics, 'gateway_limits_leader', () => Number(limiter.isLeader));
  const refused = counter(metrics, 'gateway_limits_refused_total');
  limiter.onRefused = limit => refused.inc({ limit });
}
