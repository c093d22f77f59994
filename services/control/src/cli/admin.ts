import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, readConfig } from '@model-gateway/service';
import { z } from 'zod';

const token = z.object({
  id: z.string(),
  name: z.string(),
  project: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
});
export type TokenInfo = z.infer<typeof token>;

const issued = token.extend({ token: z.string() });
const list = z.object({ data: z.array(token) });
const refusal = z.object({ error: z.object({ message: z.string() }) });

const timeoutMs = 30_000;

export interface NewToken {
  name: string;
  project?: string | undefined;
  expiresAt?: string | undefined;
}

/** A client of the admin API. Methods throw an Error with the API's message, or if the gateway cannot be reached. */
export class Admin {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async create(wanted: NewToken) {
    return issued.parse(await this.#send('POST', '/tokens', wanted));
  }

  async list(): Promise<TokenInfo[]> {
    return list.parse(await this.#send('GET', '/tokens')).data;
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
      refusal.safeParse(answer).data?.error.message ?? `${url} responded with status ${response.status}`,
    );
  }
}

const settings = z.object({
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
  GATEWAY_DATA: z.string().default('.gateway'),
  GATEWAY_ADMIN_TOKEN: z.string().optional(),
});

interface Access {
  url: string;
  adminToken: string;
}

/** Reads the gateway's URL and the admin token. @throws Error if there is no admin token */
export function readAccess(env?: Env): Access {
  const { GATEWAY_URL, GATEWAY_DATA, GATEWAY_ADMIN_TOKEN } = readConfig(settings, env);
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
