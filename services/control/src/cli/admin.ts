import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  errorMessage,
  type IssuedToken,
  issuedToken,
  type LoggedPage,
  type LoggedRequestInfo,
  loggedPage,
  loggedRequest,
  type NewToken,
  type ProjectInfo,
  type ProjectSettings,
  projectInfo,
  projectList,
  type TokenChange,
  type TokenInfo,
  tokenInfo,
  tokenList,
  type UsagePage,
  type UsageTotals,
  type UserInfo,
  type UserSettings,
  usagePage,
  usageTotals,
  userInfo,
  userList,
} from '@model-gateway/admin-api';
import { type Env, readSettings } from '@model-gateway/service';

const timeoutMs = 30_000;

/** A response with an error of the admin API. */
class ApiFailure extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The projects or the users of the API. */
export interface Groups<Info, Settings> {
  list(): Promise<Info[]>;
  show(name: string): Promise<Info>;
  /** Returns undefined if there is none with this name. */
  find(name: string): Promise<Info | undefined>;
  set(name: string, settings: Settings): Promise<Info>;
  remove(name: string): Promise<void>;
}

/** A client of the admin API. Methods throw an Error with the API's message, or if the gateway cannot be reached. */
export class Admin {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async create(wanted: NewToken): Promise<IssuedToken> {
    return issuedToken.parse(await this.#send('POST', '/tokens', wanted));
  }

  async list(): Promise<TokenInfo[]> {
    return tokenList.parse(await this.#send('GET', '/tokens')).data;
  }

  async change(id: string, change: TokenChange): Promise<TokenInfo> {
    return tokenInfo.parse(await this.#send('PATCH', `/tokens/${encodeURIComponent(id)}`, change));
  }

  async rotate(id: string, graceSeconds: number): Promise<IssuedToken> {
    const path = `/tokens/${encodeURIComponent(id)}/rotate`;
    return issuedToken.parse(await this.#send('POST', path, { graceSeconds }));
  }

  async revoke(id: string): Promise<void> {
    await this.#send('DELETE', `/tokens/${encodeURIComponent(id)}`);
  }

  async totals(query: URLSearchParams): Promise<UsageTotals> {
    return usageTotals.parse(await this.#send('GET', `/usage/totals?${query}`));
  }

  async usage(query: URLSearchParams): Promise<UsagePage> {
    return usagePage.parse(await this.#send('GET', `/usage?${query}`));
  }

  /** Returns the parts of an export, which may come slowly. */
  async exportUsage(query: URLSearchParams): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#ask('GET', `/usage/export?${query}`);
    if (!response.ok || !response.body) throw await this.#failure(response);
    return response.body;
  }

  async requests(query: URLSearchParams): Promise<LoggedPage> {
    return loggedPage.parse(await this.#send('GET', `/requests?${query}`));
  }

  async request(id: string): Promise<LoggedRequestInfo> {
    return loggedRequest.parse(await this.#send('GET', `/requests/${encodeURIComponent(id)}`));
  }

  async deleteRequest(id: string): Promise<void> {
    await this.#send('DELETE', `/requests/${encodeURIComponent(id)}`);
  }

  get projects(): Groups<ProjectInfo, ProjectSettings> {
    return this.#groups(
      '/projects',
      body => projectInfo.parse(body),
      body => projectList.parse(body).data,
    );
  }

  get users(): Groups<UserInfo, UserSettings> {
    return this.#groups(
      '/users',
      body => userInfo.parse(body),
      body => userList.parse(body).data,
    );
  }

  #groups<Info, Settings extends object>(
    path: string,
    one: (body: unknown) => Info,
    all: (body: unknown) => Info[],
  ): Groups<Info, Settings> {
    const at = (name: string) => `${path}/${encodeURIComponent(name)}`;
    const show = async (name: string) => one(await this.#send('GET', at(name)));
    return {
      list: async () => all(await this.#send('GET', path)),
      show,
      find: name =>
        show(name).catch(error => {
          if (error instanceof ApiFailure && error.status === 404) return undefined;
          throw error;
        }),
      set: async (name, settings) => one(await this.#send('PUT', at(name), settings)),
      remove: async name => void (await this.#send('DELETE', at(name))),
    };
  }

  async #send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await this.#ask(method, path, body, AbortSignal.timeout(timeoutMs));
    if (!response.ok) throw await this.#failure(response);
    return response.json().catch(() => undefined);
  }

  async #ask(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const { url, adminToken } = this.#access;
    return fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(signal && { signal }),
      ...(body && { body: JSON.stringify(body) }),
    }).catch(cause => {
      throw new Error(`cannot reach a gateway at ${url} (set GATEWAY_URL)`, { cause });
    });
  }

  async #failure(response: Response): Promise<ApiFailure> {
    const answer: unknown = await response.json().catch(() => undefined);
    const message = errorMessage.safeParse(answer).data?.error.message;
    const { status } = response;
    return new ApiFailure(message ?? `${this.#access.url} responded with status ${status}`, status);
  }
}

/** The settings of the command `gateway`. */
export const commandSettings = ['GATEWAY_URL', 'GATEWAY_DATA', 'GATEWAY_ADMIN_TOKEN'] as const;

interface Access {
  url: string;
  adminToken: string;
}

/** Reads the gateway's URL and the admin token. @throws Error if there is no admin token */
export function readAccess(env?: Env): Access {
  const { GATEWAY_URL, GATEWAY_DATA, GATEWAY_ADMIN_TOKEN } = readSettings(commandSettings, env);
  const adminToken = GATEWAY_ADMIN_TOKEN ?? readToken(join(GATEWAY_DATA, 'admin-token'));
  return { url: GATEWAY_URL.replace(/\/+$/, ''), adminToken };
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new Error(`no admin token: ${path} cannot be read; set GATEWAY_ADMIN_TOKEN or GATEWAY_DATA`);
  }
}
