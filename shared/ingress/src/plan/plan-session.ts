import type { Route } from '@model-gateway/canonical';
import { type FoundModel, isBridged, routeTo } from '@model-gateway/catalog';
import { candidate, inOrder, type PlanState, plannedTargets, withoutRoute } from './plan.ts';

/**
 * Returns the routes of a session to upstreams with a realtime API, in the order of attempts; none if the gateway holds
 * the session itself.
 * @throws GatewayError if the model names upstreams for its sessions, and none of them is in the catalog
 */
export function planSession(found: FoundModel, state: PlanState): Route[] {
  const { model } = found;
  const query = { operation: 'realtime', format: 'realtime' } as const;
  const targets = plannedTargets(found, state.catalog);
  const bridged = targets.flatMap(({ target, provider }) => {
    if (!provider || !isBridged(model, provider, target.model)) return [];
    return candidate(target, provider, routeTo(provider, target, model, query));
  });
  if (model.realtime === 'upstream' && bridged.length === 0) throw withoutRoute(targets, 'realtime');
  return inOrder(bridged, found, state);
}
