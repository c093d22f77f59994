import type { Limiter } from '@model-gateway/access';
import { counter, gauge, type Registry } from '@model-gateway/service';

const limits = ['requestsPerMinute', 'tokensPerMinute', 'concurrency', 'budget'] as const;

/** Measures which process counts limits and budgets, and the requests that they refuse. */
export function measureLimiter(limiter: Pick<Limiter, 'isLeader' | 'onRefused'>, metrics: Registry): void {
  gauge(metrics, 'gateway_limits_leader', () => Number(limiter.isLeader));
  const refused = counter(metrics, 'gateway_limits_refused_total');
  for (const limit of limits) refused.inc({ limit }, 0);
  limiter.onRefused = limit => refused.inc({ limit });
}
