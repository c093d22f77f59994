import type { RequestListener } from 'node:http';
import { matchRoute, type RouteService } from '@model-gateway/ingress';

/** Gives each request to the service that the route table names; what has no route, or none here, to `otherwise`. */
export function byRoute(
  services: Partial<Record<RouteService, RequestListener>>,
  otherwise: RequestListener,
): RequestListener {
  return (request, response) => {
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    const service = matchRoute(request.method ?? 'GET', path);
    const handle = (service && services[service]) ?? otherwise;
    handle(request, response);
  };
}
