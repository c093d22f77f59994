import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AdminClient,
  type EndpointName,
  endpoints,
  problem,
  problemDetail,
  type RequestParts,
} from '@model-gateway/admin-api';
import { type Env, readSettings } from '@model-gateway/service';
import { listWithIds } from './contract.ts';
import { CommandError, exitCodeOf, UsageError } from './exit-codes.ts';
import { readLogin, type Target } from './login-file.ts';

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

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A client that takes the name of a token or a service account wherever the API takes its id. */
export class GatewayClient extends AdminClient {
  override async fetch(name: EndpointName, parts: RequestParts = {}, limit?: AbortSignal): Promise<Response> {
    const { params, query: given } = parts;
    const query = given && new URLSearchParams(given);
    const token = query?.get('token');
    if (query && token) query.set('token', await this.idOf(endpoints.showToken.path, token));
    const id = params?.id && (await this.idOf(endpoints[name].path, params.id));
    const named = { ...parts, ...(query && { query }), ...(id && { params: { ...params, id } }) };
    return super.fetch(name, named, limit);
  }

  /** Returns the id for a value in an endpoint's path, which may be a name. @throws UsageError if several have it */
  async idOf(path: string, given: string): Promise<string> {
    const list = uuid.test(given) ? undefined : listWithIds(path);
    if (!list) return given;
    const records = (await this.list(list)) as { id?: string; name?: string }[];
    const ids = records.flatMap(({ id, name }) => (name === given && id !== undefined ? id : []));
    if (ids.length > 1) throw new UsageError(`several have the name '${given}': ${ids.join(', ')}`);
    // The API says that there is none.
    return ids[0] ?? given;
  }
}

/** Returns a client of the admin API. Its methods throw a CommandError with the API's message, or if the gateway cannot be reached. */
export function adminAt({ url, headers }: Access, timeoutMs = longestMs): GatewayClient {
  return new GatewayClient({
    ...{ baseUrl: url, headers, timeoutMs },
    unreachable: cause =>
      new CommandError(`cannot reach a gateway at ${url} (set GATEWAY_URL)`, 5, { cause: cause as Error }),
    failed: response => failureOf(response, url),
  });
}

async function failureOf(response: Response, url: string): Promise<Error> {
  const answer: unknown = await response.json().catch(() => undefined);
  const detail = problemDetail.safeParse(answer).data?.detail;
  const { code, errors } = problem.safeParse(answer).data ?? {};
  return new ApiFailure(
    detail ?? `${url} responded with status ${response.status}`,
    response.status,
    errors?.[0]?.code ?? code,
  );
}

/** Resolves with what a call resolves with; undefined if it fails with this status or code. */
export async function unless<Value>(
  failure: number | string,
  call: Promise<Value>,
): Promise<Value | undefined> {
  return call.catch(error => {
    if (error instanceof ApiFailure && (error.status === failure || error.code === failure)) return undefined;
    throw error;
  });
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
