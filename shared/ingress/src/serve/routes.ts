import type { RequestListener } from 'node:http';
import { firstVersion, prefixes } from '../process/served-path.ts';

/** The services that a path can be routed to; `edge` is the process that listens on the public port. */
export type RouteService =
  | 'ingress-chat'
  | 'ingress-messages'
  | 'ingress-generate-content'
  | 'ingress-responses'
  | 'ingress-embeddings'
  | 'ingress-images'
  | 'ingress-audio'
  | 'ingress-models'
  | 'realtime'
  | 'control'
  | 'console'
  | 'edge';

export interface PathRoute {
  service: RouteService;
  /** Matches the raw path without its query. A model's name may contain `/`, `:` and `%2F`. */
  path: RegExp;
  /** The only allowed method; any method where absent. */
  method?: 'GET' | 'POST';
}

/** Matches a path under `/v1` with all prefixes, and with slashes at its end. */
function underV1(path: string): RegExp {
  return new RegExp(`^${prefixes('deployments\\/.+\\/')}${path}\\/*$`);
}

/** Maps paths to services; the first match wins. Every edge's configuration is generated from this table. */
export const routes: readonly PathRoute[] = [
  // Only this format has methods after a colon: unknown ones are refused in its error format.
  {
    service: 'ingress-generate-content',
    path: /^\/\/?(v1(alpha|beta)?|models)\/.+:[A-Za-z]+\/*$/,
    method: 'POST',
  },
  {
    service: 'ingress-generate-content',
    path: /^\/\/?v1(alpha|beta)\/.+:(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)\/*$/,
  },
  { service: 'ingress-models', path: underV1(firstVersion.models), method: 'GET' },
  {
    service: 'ingress-models',
    path: /^\/\/?(v1(beta)?\/\/?)?v1beta\/\/?models(\/.*)?$/,
    method: 'GET',
  },
  { service: 'ingress-messages', path: underV1(firstVersion.messages) },
  { service: 'ingress-chat', path: underV1(firstVersion.chat) },
  { service: 'ingress-responses', path: underV1(firstVersion.responses) },
  { service: 'ingress-embeddings', path: underV1(firstVersion.vectors) },
  { service: 'ingress-embeddings', path: /^\/\/?v2\/\/?rerank\/*$/ },
  { service: 'ingress-images', path: underV1(firstVersion.images) },
  { service: 'ingress-audio', path: underV1(firstVersion.audio) },
  { service: 'realtime', path: underV1(firstVersion.realtime) },
  // All other paths with these prefixes belong to this format.
  { service: 'ingress-generate-content', path: /^\/\/?(upload\/)?v1(alpha|beta)(\/.*)?$/ },
  { service: 'control', path: /^\/(api\/.*|openapi\.json|docs(\/.*)?)$/ },
  { service: 'console', path: /^\/console(\/.*)?$/ },
  { service: 'edge', path: /^\/(healthz|readyz)$/ },
];

/** Returns the service for a request; undefined if no route matches its path and method. */
export function matchRoute(method: string, path: string): RouteService | undefined {
  const fits = (route: PathRoute) =>
    !route.method || route.method === method || (route.method === 'GET' && method === 'HEAD');
  return routes.find(route => fits(route) && route.path.test(path))?.service;
}

/** The most requests whose service is remembered by method and path, and the most characters of such a path. */
const maxRemembered = 256;
const maxRememberedPath = 128;

/** Passes each request to the service of its route, or to `otherwise` if that service is not here. */
export function byRoute(
  services: Partial<Record<RouteService, RequestListener>>,
  otherwise: RequestListener,
): RequestListener {
  const remembered = new Map<string, RequestListener>();
  return (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const key = `${method} ${path}`;
    let handle = remembered.get(key);
    if (!handle) {
      const service = matchRoute(method, path);
      handle = (service && services[service]) ?? otherwise;
      if (remembered.size < maxRemembered && path.length <= maxRememberedPath) remembered.set(key, handle);
    }
    handle(request, response);
  };
}

/** Returns the methods that routes of a path name; empty for a path without such routes. */
export function routeMethods(path: string): string[] {
  const methods = routes.flatMap(route => (route.method && route.path.test(path) ? [route.method] : []));
  return [...new Set(methods)];
}
