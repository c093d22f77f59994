import {
  GatewayError,
  type Operation,
  operationLabels,
  type Route,
  type WireFormat,
} from '@model-gateway/canonical';
import { type Catalog, orderTargets, routeTo, takesNoLimit } from '@model-gateway/catalog';
import type { ClientBody, GatewayRequest } from './gateway-request.ts';

/** The routes of a request. */
export interface Plan {
  /** The model's name in the catalog, which may be a pattern. */
  model: string;
  /** In the order of attempts; empty only for a count of tokens. */
  routes: Route[];
}

/**
 * Chooses the routes of a request from the catalog as it is now.
 * @throws GatewayError if the model does not exist, or none of its targets supports the request
 */
export function plan(
  request: GatewayRequest,
  format: WireFormat,
  body: ClientBody['type'],
  catalog: Catalog,
): Plan {
  const { model, match } = findModel(catalog, request.model);
  const inputs = request.type === 'generate' || request.type === 'count-tokens' ? undefined : request.inputs;
  const query = { operation: request.type, format, inputs, form: body === 'form' };
  const providers = orderTargets(model, match, Math.random).map(target => ({
    target,
    provider: catalog.provider(target.provider),
  }));
  const routes = providers.flatMap(
    ({ target, provider }) => (provider && routeTo(provider, target, model, query)) ?? [],
  );
  if (routes.length === 0) throw withoutRoute(providers, request.type);
  if (request.type === 'count-tokens')
    return { model: model.name, routes: routes.filter(route => counting.has(route.format)) };
  if (request.type === 'generate' && request.unlimited !== undefined)
    return { model: model.name, routes: unlimitedRoutes(routes, request.unlimited, catalog) };
  return { model: model.name, routes };
}

/** Returns a model of the catalog. @throws GatewayError of kind `not-found` */
export function findModel(catalog: Catalog, name: string, param?: string) {
  const found = catalog.model(name);
  if (found) return found;
  throw new GatewayError('not-found', `The model '${name}' does not exist or you do not have access to it.`, {
    ...(param !== undefined && { param }),
    code: 'model_not_found',
  });
}

/** The formats with an API that counts the tokens of a request. */
const counting: ReadonlySet<WireFormat> = new Set(['messages', 'generate-content', 'responses']);

/** Returns the routes that accept a verbatim request with -1 for no token limit. @throws GatewayError if there is none */
function unlimitedRoutes(routes: readonly Route[], field: string, catalog: Catalog): Route[] {
  const unlimited = routes.filter(route => {
    const provider = catalog.provider(route.provider);
    return route.body === 'verbatim' && provider !== undefined && takesNoLimit(provider);
  });
  if (unlimited.length > 0) return unlimited;
  const message = `Invalid '${field}': expected a value of at least 1, but got -1. This model does not accept -1 as unlimited: omit '${field}'.`;
  throw new GatewayError('invalid-request', message, { param: field, code: 'integer_below_min_value' });
}

/** The error of a request that no target supports. */
function withoutRoute(
  targets: readonly { target: { provider: string }; provider: unknown }[],
  operation: Operation,
): GatewayError {
  const unknown = targets.find(({ provider }) => provider === undefined);
  if (unknown)
    return new GatewayError('upstream', `The provider '${unknown.target.provider}' is not in the catalog.`);
  const message = `This model does not support ${operationLabels[operation]}.`;
  return new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}
