import type { Limiter } from '@model-gateway/access';
import { Gauge, type Registry } from '@model-gateway/service';

/** Measures which process counts limits and budgets. */
export function measureLimiter(limiter: Pick<Limiter, 'isLeader'>, metrics: Registry): void {
  new Gauge({
    name: 'gateway_limits_leader',
    help: '1 at the process that counts limits and budgets for all',
    registers: [metrics],
    collect() {
      this.set(limiter.isLeader ? 1 : 0);
    },
  });
}
