import { type Endpoint, type EndpointName, endpoints, type ResponseOf } from '@model-gateway/admin-api';
import { Problem, problemOf } from './problem.ts';

/** The parts of a request to the admin API. */
export interface Asked {
  /** The values of the path's parameters, by their names. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  /** The ETag of the resource as it was read: the change is refused if somebody else has changed it since. */
  ifMatch?: string | undefined;
  /** True for a PUT that must not change a resource which exists already. */
  createOnly?: boolean;
  /** A request that makes a secret has the same answer if it is sent again with the same key. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

const limitMs = 30_000;

/**
 * Calls an endpoint of the admin API with the session's cookie. A response with other fields than the contract's is accepted.
 * @throws Problem if the gateway does not respond, or responds with an error
 */
export async function callApi<Name extends EndpointName>(
  name: Name,
  asked: Asked = {},
): Promise<ResponseOf<Name>> {
  const { value } = await callForResource(name, asked);
  return value;
}

/** Calls an endpoint as `callApi` does, and returns the ETag of the resource as well; null if it has none. */
export async function callForResource<Name extends EndpointName>(
  name: Name,
  asked: Asked = {},
): Promise<{ value: ResponseOf<Name>; etag: string | null }> {
  const { response: shape }: Endpoint = endpoints[name];
  const response = await fetchApi(name, asked, AbortSignal.timeout(limitMs));
  const value = shape ? shape.parse(await response.json()) : undefined;
  return { value: value as ResponseOf<Name>, etag: response.headers.get('etag') };
}

/**
 * Sends a request to an endpoint of the admin API and returns the response as it comes, as for a stream or an export.
 * @throws Problem if the gateway does not respond before `limit`, or responds with an error
 */
export async function fetchApi(name: EndpointName, asked: Asked, limit?: AbortSignal): Promise<Response> {
  const { params = {}, query, body, ifMatch, createOnly, idempotencyKey, signal } = asked;
  const { method, path }: Endpoint = endpoints[name];
  const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ''));
  const url = query ? `${filled}?${new URLSearchParams(query)}` : filled;
  const signals = [limit, signal].filter(given => given !== undefined);
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: {
      'x-gateway-csrf': '1',
      ...(body && { 'content-type': 'application/json' }),
      ...(ifMatch && { 'if-match': ifMatch }),
      ...(createOnly && { 'if-none-match': '*' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
    cache: 'no-store',
    signal: AbortSignal.any(signals),
  }).catch(() => {
    signal?.throwIfAborted();
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}
