import type { Endpoint } from './endpoint.ts';
import { type EndpointName, endpoints, type ResponseOf } from './endpoints.ts';
import { largestPage } from './page.ts';

/** The parts of a request to an endpoint. */
export interface RequestParts {
  /** The values of the path's parameters, by their names. */
  params?: Record<string, string>;
  query?: Record<string, string> | URLSearchParams;
  body?: object;
  /** The ETag of the resource as it was read: the change is refused if somebody else has changed it since. */
  ifMatch?: string | undefined;
  /** True for a PUT that must not change a resource which exists already. */
  createOnly?: boolean;
  /** A request that makes a secret has the same answer if it is sent again with the same key. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface ClientOptions {
  /** The gateway's URL without a slash at its end; '' for the page's own. */
  baseUrl: string;
  /** The headers with the credential. */
  headers: Record<string, string>;
  /** Timeout of a response that is read whole, in milliseconds. */
  timeoutMs: number;
  /** Returns the error for a gateway that does not respond. */
  unreachable(cause: unknown): Error;
  /** Returns the error for a response that is one. */
  failed(response: Response): Promise<Error>;
}

type Page<Item = unknown> = { data: Item[]; next: string | null };
/** The endpoints that return a list page by page. */
export type ListName = { [Name in EndpointName]: ResponseOf<Name> extends Page ? Name : never }[EndpointName];
/** A record of a list. */
export type ItemOf<Name extends ListName> = ResponseOf<Name> extends Page<infer Item> ? Item : never;
type PageOf<Name extends ListName> = ResponseOf<Name> & Page<ItemOf<Name>>;

/** A client of the admin API. Its methods throw the errors of its options. */
export class AdminClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Calls an endpoint. A response with other fields than the contract's is accepted. */
  async call<Name extends EndpointName>(name: Name, parts: RequestParts = {}): Promise<ResponseOf<Name>> {
    const { value } = await this.callForResource(name, parts);
    return value;
  }

  /** Calls an endpoint as `call` does, and returns the ETag of the resource as well; null if it has none. */
  async callForResource<Name extends EndpointName>(
    name: Name,
    parts: RequestParts = {},
  ): Promise<{ value: ResponseOf<Name>; etag: string | null }> {
    const { response: shape }: Endpoint = endpoints[name];
    const response = await this.fetch(name, parts, AbortSignal.timeout(this.#options.timeoutMs));
    const value = shape ? shape.parse(await response.json()) : undefined;
    return { value: value as ResponseOf<Name>, etag: response.headers.get('etag') };
  }

  /** Reads a page of a list. */
  async page<Name extends ListName>(name: Name, parts: RequestParts = {}): Promise<PageOf<Name>> {
    return (await this.call(name, parts)) as PageOf<Name>;
  }

  /** Reads every page of a list. */
  async list<Name extends ListName>(name: Name, parts: RequestParts = {}): Promise<ItemOf<Name>[]> {
    const items: ItemOf<Name>[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const query = new URLSearchParams(parts.query);
      query.set('limit', String(largestPage));
      if (next) query.set('cursor', next);
      const page: PageOf<Name> = await this.page(name, { ...parts, query });
      items.push(...page.data);
      next = page.next;
    }
    return items;
  }

  /** Sends a request to an endpoint and returns the response as it comes, as for a stream or an export. It must come before `limit`. */
  async fetch(name: EndpointName, parts: RequestParts = {}, limit?: AbortSignal): Promise<Response> {
    const { params = {}, query, body, ifMatch, createOnly, idempotencyKey, signal } = parts;
    const { method, path }: Endpoint = endpoints[name];
    const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ''));
    const signals = [limit, signal].filter(given => given !== undefined);
    const response = await fetch(
      `${this.#options.baseUrl}${filled}${query ? `?${new URLSearchParams(query)}` : ''}`,
      {
        method: method.toUpperCase(),
        headers: {
          ...this.#options.headers,
          ...(body && { 'content-type': 'application/json' }),
          ...(ifMatch && { 'if-match': ifMatch }),
          ...(createOnly && { 'if-none-match': '*' }),
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        ...(body && { body: JSON.stringify(body) }),
        cache: 'no-store',
        signal: AbortSignal.any(signals),
      },
    ).catch(cause => {
      signal?.throwIfAborted();
      throw this.#options.unreachable(cause);
    });
    if (!response.ok) throw await this.#options.failed(response);
    return response;
  }
}
