import { type Endpoint, type EndpointName, endpoints, type ResponseOf } from '@model-gateway/admin-api';
import { Problem, problemOf } from './problem.ts';

/** The parts of a request to the admin API. */
interface Asked {
  /** The values of the path's parameters, by their names. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  signal?: AbortSignal;
}

const limitMs = 30_000;

/**
 * Calls an endpoint of the admin API with the session's cookie. A response with other fields than the contract's is accepted.
 * @throws Problem if the gateway does not respond, or responds with an error
 */
export async function callApi<Name extends EndpointName>(
  name: Name,
  { params = {}, query, body, signal }: Asked = {},
): Promise<ResponseOf<Name>> {
  const { method, path, response: shape }: Endpoint = endpoints[name];
  const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ''));
  const url = query ? `${filled}?${new URLSearchParams(query)}` : filled;
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { 'x-gateway-csrf': '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    cache: 'no-store',
    signal: AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]),
  }).catch(() => {
    signal?.throwIfAborted();
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  if (!response.ok) throw await problemOf(response);
  return (shape ? shape.parse(await response.json()) : undefined) as ResponseOf<Name>;
}
