import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type IssuedToken,
  issuedToken,
  type LoggedPage,
  type LoggedRequestInfo,
  loggedPage,
  loggedRequest,
  type NewToken,
  type ProjectInfo,
  type ProjectSettings,
  problem,
  problemDetail,
  projectInfo,
  projectPage,
  type TokenChange,
  type TokenInfo,
  tokenInfo,
  tokenPage,
  type UsagePage,
  type UsageTotals,
  type UserInfo,
  type UserSettings,
  usagePage,
  usageTotals,
  userInfo,
  userPage,
} from '@model-gateway/admin-api';
import { type Env, readSettings } from '@model-gateway/service';
import type { z } from 'zod/mini';
import { CommandError, exitCodeOf } from './exit-codes.ts';
import { readLogin, type Target } from './login-file.ts';
import { allPages, type Page } from './pages.ts';
import { PeopleClient } from './people-client.ts';

const longestMs = 30_000;

/** A response with an error of the admin API. */
class ApiFailure extends CommandError {
  readonly status: number;
  /** The code of the API's error; of an invalid field, the field's. */
  readonly code: string | undefined;

  constructor(message: string, status: number, code?: string) {
    super(message, exitCodeOf(status, code));
    this.status = status;
    this.code = code;
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
  readonly #timeoutMs: number;

  constructor(access: Access, timeoutMs = longestMs) {
    this.#access = access;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request to a path of the API, such as `/tokens`, and reads its response by a schema. */
  async ask<Shape extends z.ZodMiniType>(
    response: Shape,
    method: string,
    path: string,
    body?: object,
  ): Promise<z.infer<Shape>> {
    return response.parse(await this.#send(method, path, body)) as z.infer<Shape>;
  }

  async create(wanted: NewToken): Promise<IssuedToken> {
    return issuedToken.parse(await this.#send('POST', '/tokens', wanted));
  }

  /** Creates a token for an existing secret; undefined if there is one already, or was before it was revoked. */
  async createUnlessKnown(wanted: NewToken): Promise<IssuedToken | undefined> {
    return this.create(wanted).catch(error => {
      if (error instanceof ApiFailure && error.code === 'token_exists') return undefined;
      throw error;
    });
  }

  async list(): Promise<TokenInfo[]> {
    return allPages('/tokens', async path => tokenPage.parse(await this.#send('GET', path)));
  }

  async show(id: string): Promise<TokenInfo> {
    return tokenInfo.parse(await this.#send('GET', `/tokens/${encodeURIComponent(id)}`));
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

  /** Returns the parts of a response, which may come slowly. */
  async stream(path: string): Promise<AsyncIterable<Uint8Array>> {
    const { url, headers } = this.#access;
    const response = await request(url, 'GET', path, headers, undefined, null);
    if (!response.ok || !response.body) throw await readFailure(response, url);
    // A body without a reader is cancelled once its response has been garbage-collected.
    return response.body.values();
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

  get people(): PeopleClient {
    return new PeopleClient((...asked) => this.#send(...asked));
  }

  get projects(): Groups<ProjectInfo, ProjectSettings> {
    return this.#groups(
      '/projects',
      body => projectInfo.parse(body),
      body => projectPage.parse(body),
    );
  }

  get users(): Groups<UserInfo, UserSettings> {
    return this.#groups(
      '/users',
      body => userInfo.parse(body),
      body => userPage.parse(body),
    );
  }

  #groups<Info, Settings extends object>(
    path: string,
    one: (body: unknown) => Info,
    page: (body: unknown) => Page<Info>,
  ): Groups<Info, Settings> {
    const at = (name: string) => `${path}/${encodeURIComponent(name)}`;
    const show = async (name: string) => one(await this.#send('GET', at(name)));
    return {
      list: () => allPages(path, async path => page(await this.#send('GET', path))),
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
    const { url, headers } = this.#access;
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const response = await request(url, method, path, headers, body, signal);
    if (!response.ok) throw await readFailure(response, url);
    return response.json().catch(() => undefined);
  }
}

/** Sends a request to the admin API, for 30 s unless `signal` is another or null. @throws Error if the gateway cannot be reached */
export async function request(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
  signal: AbortSignal | null = AbortSignal.timeout(longestMs),
): Promise<Response> {
  return fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    signal,
    ...(body && { body: JSON.stringify(body) }),
  }).catch(cause => {
    throw new CommandError(`cannot reach a gateway at ${url} (set GATEWAY_URL)`, 5, { cause });
  });
}

/** Reads the error of a response. */
export async function readFailure(response: Response, url: string): Promise<Error> {
  const answer: unknown = await response.json().catch(() => undefined);
  const detail = problemDetail.safeParse(answer).data?.detail;
  const { code, errors } = problem.safeParse(answer).data ?? {};
  return new ApiFailure(
    detail ?? `${url} responded with status ${response.status}`,
    response.status,
    errors?.[0]?.code ?? code,
  );
}

/** The settings of the command `gateway`. */
export const commandSettings = [
  'GATEWAY_URL',
  'GATEWAY_DATA',
  'GATEWAY_ADMIN_TOKEN',
  'GATEWAY_LOGIN_FILE',
] as const;

interface Access {
  url: string;
  /** The headers with the credential. */
  headers: Record<string, string>;
}

export function readTarget(env?: Env): Target {
  const { GATEWAY_URL, GATEWAY_LOGIN_FILE } = readSettings(commandSettings, env);
  return { url: GATEWAY_URL.replace(/\/+$/, ''), loginFile: GATEWAY_LOGIN_FILE };
}

/**
 * Reads the gateway's URL and a credential: GATEWAY_ADMIN_TOKEN, else the login for this gateway, else the admin token in
 * GATEWAY_DATA. @throws Error if there is none
 */
export function readAccess(env?: Env): Access {
  const { GATEWAY_DATA, GATEWAY_ADMIN_TOKEN } = readSettings(commandSettings, env);
  const { url, loginFile } = readTarget(env);
  const login = GATEWAY_ADMIN_TOKEN === undefined ? readLogin(loginFile, url) : undefined;
  if (login) return { url, headers: { cookie: login.cookie, 'x-gateway-csrf': '1' } };
  const token = GATEWAY_ADMIN_TOKEN ?? readToken(join(GATEWAY_DATA, 'admin-token'));
  return { url, headers: { authorization: `Bearer ${token}` } };
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new CommandError(
      `no admin token: ${path} cannot be read; sign in (gateway login), or set GATEWAY_ADMIN_TOKEN or GATEWAY_DATA`,
      3,
    );
  }
}
