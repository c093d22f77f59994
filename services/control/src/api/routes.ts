import { type Endpoint, type EndpointName, endpoints, type ResponseOf } from '@model-gateway/admin-api';
import type { Express, RequestHandler } from 'express';
import { sendProblem } from './errors.ts';

/** A handler for each endpoint, which can send only the endpoint's response. */
export type Handlers = {
  [Name in EndpointName]: RequestHandler<Record<string, string>, ResponseOf<Name>>;
};

/** Handlers that run before those of an endpoint. */
interface Before {
  /** Finds the caller. */
  authenticate: RequestHandler;
  /** Returns the handler that refuses callers without the role for an endpoint. */
  authorize(name: EndpointName): RequestHandler;
  /** Returns the handlers for endpoints with a body of at most so many bytes. */
  body(largest: number | undefined): RequestHandler[];
  /** Returns the handlers of idempotency keys for an endpoint. */
  idempotency(name: EndpointName): RequestHandler[];
}

/** Adds a route for each endpoint. Other methods of its path get 405. */
export function addRoutes(
  app: Express,
  handlers: Handlers,
  { authenticate, authorize, body, idempotency }: Before,
): void {
  const names = Object.keys(endpoints) as EndpointName[];
  for (const [path, ofPath] of Map.groupBy(names, name => endpoints[name].path)) {
    const route = app.route(path.replace(/\{(\w+)\}/g, ':$1'));
    for (const name of ofPath) {
      const endpoint: Endpoint = endpoints[name];
      const isOfAdminApi = endpoint.bearer === 'admin' || endpoint.bearer === 'self';
      const before = [
        ...(isOfAdminApi ? [authenticate, authorize(name)] : []),
        ...(endpoint.body ? body(endpoint.largestBody) : []),
        ...idempotency(name),
      ];
      route[endpoint.method](...before, handlers[name] as RequestHandler);
    }
    route.all(refuseMethod(ofPath.map(name => endpoints[name].method)));
  }
}

/** Refuses every other method. Express answers HEAD by the route of GET. */
export function refuseMethod(methods: string[]): RequestHandler {
  const allowed = methods.map(method => (method === 'get' ? 'GET, HEAD' : method.toUpperCase())).join(', ');
  return (request, response) => {
    response.set('allow', allowed);
    const detail = `This path does not support ${request.method}.`;
    sendProblem(response, { status: 405, code: 'method_not_allowed', detail });
  };
}
