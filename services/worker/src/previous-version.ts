import { type Envelope, GatewayError, type Route } from '@model-gateway/canonical';
import { type Catalog, isBridged, routeTo } from '@model-gateway/catalog';

/**
 * Returns the route of a session of the previous version, to the first of its targets with a realtime API.
 * @throws GatewayError of kind `overloaded` for a session that the previous version's workers hold themselves
 */
export function sessionRoute({ model: name, variant, targets }: Envelope, catalog: Catalog): Route {
  const model = catalog.model(name)?.model;
  if (model && variant === undefined)
    for (const target of targets) {
      const provider = catalog.provider(target.provider);
      if (!provider || !isBridged(model, provider, target.model)) continue;
      const route = routeTo(provider, target, model, { operation: 'realtime', format: 'realtime' });
      if (route) return route;
    }
  const message = 'The gateway is being upgraded: open a new session.';
  throw new GatewayError('overloaded', message, { code: 'server_shutdown', retryAfterMs: 1_000 });
}
