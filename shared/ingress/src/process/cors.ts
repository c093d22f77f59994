import type { RequestListener } from 'node:http';

/** The response headers that a page may read, beside those that browsers always show. */
const exposed = [
  'x-request-id',
  'request-id',
  'retry-after',
  'x-should-retry',
  'x-gateway-model',
  'x-gateway-reason',
  'x-gateway-served-model',
  'x-gateway-target',
  'x-gateway-estimate',
  ...['limit', 'remaining', 'reset'].flatMap(of =>
    ['requests', 'tokens'].flatMap(kind => [
      `x-ratelimit-${of}-${kind}`,
      `anthropic-ratelimit-${kind}-${of}`,
    ]),
  ),
].join(', ');

/** Every method, so that a page can read the 405 of a path that does not take one. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** The time for which a browser need not ask again, in seconds: the longest that Chromium takes. */
const maxAgeSeconds = '7200';

/**
 * Lets pages of these origins send requests and read all answers (CORS); `*` is every origin. A page sends its token itself, so
 * cookies are never allowed. Returns the handler itself if `origins` is undefined.
 */
export function withCors(origins: readonly string[] | undefined, handle: RequestListener): RequestListener {
  if (!origins) return handle;
  const allowsAll = origins.includes('*');
  const allowed = new Set(origins);
  return (request, response) => {
    const { origin } = request.headers;
    // A cache must not show one origin the answer for another.
    if (!allowsAll) response.setHeader('vary', 'origin');
    const isAllowed = origin !== undefined && (allowsAll || allowed.has(origin));
    if (!isAllowed) return handle(request, response);
    response.setHeader('access-control-allow-origin', allowsAll ? '*' : origin);
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (!isPreflight) {
      response.setHeader('access-control-expose-headers', exposed);
      return handle(request, response);
    }
    response.setHeader('access-control-allow-methods', methods);
    const headers = request.headers['access-control-request-headers'];
    // SDKs send headers of their own. `*` would leave out `authorization`.
    if (headers) response.setHeader('access-control-allow-headers', headers);
    response.setHeader('access-control-max-age', maxAgeSeconds);
    response.writeHead(204).end();
  };
}
