import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, readConfig } from '@model-gateway/service';
import { z } from 'zod';

const settings = z.object({
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
  GATEWAY_DATA: z.string().default('.gateway'),
  GATEWAY_ADMIN_TOKEN: z.string().optional(),
});

export interface Access {
  url: string;
  adminToken: string;
}

/** Where the gateway is, and the token that opens its admin API. @throws Error that says how to give one */
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
