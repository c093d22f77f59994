import type { Route } from '@model-gateway/canonical';
import type { TargetHealth } from './target-health.ts';

/** The longest time that a request waits to learn if a target fails, in milliseconds. */
export const longestDoubtMs = 1_000;

interface Failover {
  route: Route;
  /** True if the request waits for the next outcome of the target before it chooses again. */
  waits?: true;
}

/**
 * Chooses a route of `left` for a request whose attempt failed; undefined if the budget refuses one. An attempt at a target that
 * fails needs the budget, so that an outage is not multiplied by the number of targets. A target that does not fail is not refused.
 * Beyond the budget, the request takes one that has answered since the failed attempt began, or one that has no attempt which will
 * tell more. Otherwise it waits for an outcome of those that run; `hasWaited` if that took too long.
 */
export function chooseFailover(
  left: readonly Route[],
  health: TargetHealth,
  { since, hasWaited }: { since: number; hasWaited: boolean },
): Failover | undefined {
  const { retries, clock } = health;
  const now = clock.now();
  const isSound = (route: Route) => health.isOpen(route, now) && !health.isFailing(route, now);
  const answers = (route: Route) => isSound(route) && health.hasAnswered(route, since);
  const first = health.firstOf(left);
  if (!first) return undefined;
  if (!answers(first) && retries.take('failover')) return { route: first };
  const sound = left.filter(isSound);
  const route = sound.find(answers) ?? sound.find(route => hasWaited || !health.isAwaited(route));
  if (route) {
    retries.failedOver();
    return { route };
  }
  const [doubtful] = sound;
  if (doubtful) return { route: doubtful, waits: true };
  retries.refuse();
  return undefined;
}
