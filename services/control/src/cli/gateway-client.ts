import {
  AdminClient,
  type Endpoint,
  type EndpointName,
  endpoints,
  type RequestParts,
} from '@model-gateway/admin-api';
import { UsageError } from './exit-codes.ts';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The lists of records with an id, by the beginning of their paths. */
const lists = { '/api/v1/tokens/{id}': 'listTokens', '/api/v1/accounts/{id}': 'listAccounts' } as const;

/** A client that takes the name of a token or a service account wherever the API takes its id. */
export class GatewayClient extends AdminClient {
  override async fetch(name: EndpointName, parts: RequestParts = {}, limit?: AbortSignal): Promise<Response> {
    const { params, query: given } = parts;
    const query = given && new URLSearchParams(given);
    const token = query?.get('token');
    if (query && token) query.set('token', await this.#idIn('listTokens', token));
    const id = params?.id && (await this.idOf(name, params.id));
    const named = { ...parts, ...(query && { query }), ...(id && { params: { ...params, id } }) };
    return super.fetch(name, named, limit);
  }

  /** Returns the id for the value of an endpoint's path, which may be a name. @throws UsageError if several have it */
  async idOf(endpoint: EndpointName, given: string): Promise<string> {
    const { path }: Endpoint = endpoints[endpoint];
    const list = Object.entries(lists).find(([start]) => path.startsWith(start))?.[1];
    return list ? this.#idIn(list, given) : given;
  }

  async #idIn(list: (typeof lists)[keyof typeof lists], given: string): Promise<string> {
    if (uuid.test(given)) return given;
    const named = (await this.list(list)).filter(({ name }) => name === given);
    if (named.length > 1)
      throw new UsageError(`several have the name '${given}': ${named.map(({ id }) => id).join(', ')}`);
    // The API says that there is none.
    return named[0]?.id ?? given;
  }
}
