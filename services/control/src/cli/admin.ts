import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  errorMessage,
  type IssuedToken,
  issuedToken,
  type NewToken,
  type TokenChange,
  type TokenInfo,
  tokenInfo,
  tokenList,
} from '@model-gateway/admin-api';
import { type Env, readSettings } from '@model-gateway/service';

const timeoutMs = 30_000;

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

  async #send(method: string, path: string, body?: object): Promise<unknown> {
    const { url, adminToken } = this.#access;
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body && { body: JSON.stringify(body) }),
    }).catch(cause => {
      throw new Error(`cannot reach a gateway at ${url} (set GATEWAY_URL)`, { cause });
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok) return answer;
    throw new Error(
      errorMessage.safeParse(answer).data?.error.message ?? `${url} responded with status ${response.status}`,
    );
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
