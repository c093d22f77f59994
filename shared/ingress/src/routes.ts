/** The services that a path can lead to; `edge` is whatever listens on the public port. */
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

export interface Route {
  service: RouteService;
  /** Matches the raw path, without its query. A model's name may hold `/`, `:` and `%2F`. */
  path: RegExp;
  /** The one method that the service takes here; any method where absent. */
  method?: 'GET' | 'POST';
}

/** Which service answers which path, the first match; every edge's configuration is made from this table. */
export const routes: readonly Route[] = [
  // No other format has a method behind a colon: what is unknown of these is refused in theirs.
  { service: 'ingress-generate-content', path: /^\/v1(alpha|beta)?\/.+:[A-Za-z]+$/, method: 'POST' },
  {
    service: 'ingress-generate-content',
    path: /^\/v1(alpha|beta)\/.+:(generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/,
  },
  { service: 'ingress-models', path: /^\/v1(beta)?\/models(\/.+)?$/, method: 'GET' },
  // Nothing else below these is any other format's.
  { service: 'ingress-generate-content', path: /^\/(upload\/)?v1(alpha|beta)(\/.*)?$/ },
  { service: 'ingress-messages', path: /^\/v1\/messages(\/.*)?$/ },
  { service: 'ingress-chat', path: /^\/v1\/(chat\/completions|completions)$/ },
  { service: 'ingress-responses', path: /^\/v1\/(responses|conversations)(\/.*)?$/ },
  { service: 'ingress-embeddings', path: /^\/(v1\/embeddings|(v[12]\/)?rerank)$/ },
  { service: 'ingress-images', path: /^\/v1\/images\/.+$/ },
  { service: 'ingress-audio', path: /^\/v1\/audio\/.+$/ },
  { service: 'realtime', path: /^\/v1\/realtime(\/.*)?$/ },
  { service: 'control', path: /^\/(api\/.*|openapi\.json)$/ },
  { service: 'console', path: /^\/console(\/.*)?$/ },
  { service: 'edge', path: /^\/(healthz|readyz)$/ },
];

/** Which service a request goes to; undefined where no route has its path and method. */
export function matchRoute(method: string, path: string): RouteService | undefined {
  const fits = (route: Route) =>
    !route.method || route.method === method || (route.method === 'GET' && method === 'HEAD');
  return routes.find(route => fits(route) && route.path.test(path))?.service;
}

/** The methods that a path takes where the table names them; empty for a path that has no route. */
export function routeMethods(path: string): string[] {
  const methods = routes.flatMap(route => (route.method && route.path.test(path) ? [route.method] : []));
  return [...new Set(methods)];
}
