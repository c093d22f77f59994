import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { keptFile } from '@model-gateway/catalog';
import { ConfigError } from '@model-gateway/service';
import { type KeptSecret, keptSecret } from './tokens.ts';

export interface AdminTokenSettings {
  GATEWAY_ADMIN_TOKEN?: string | undefined;
  GATEWAY_DATA: string;
}

export function readAdminToken({ GATEWAY_ADMIN_TOKEN, GATEWAY_DATA }: AdminTokenSettings): string {
  if (GATEWAY_ADMIN_TOKEN) return GATEWAY_ADMIN_TOKEN;
  return keptFile(join(GATEWAY_DATA, 'admin-token'), () => `admin-${randomBytes(32).toString('base64url')}`);
}

/** Compares in a time that tells nothing of either. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

export interface FirstTokenSettings {
  GATEWAY_FIRST_TOKEN?: string | undefined;
  GATEWAY_FIRST_TOKEN_SHA256?: string | undefined;
}

/** How much of its hash is shown of a token whose secret is not known, in hex digits. */
const shownDigits = 8;

/** The token that is there from the start; undefined where none is set. @throws ConfigError if it is set twice */
export function firstToken({
  GATEWAY_FIRST_TOKEN: secret,
  GATEWAY_FIRST_TOKEN_SHA256: digest,
}: FirstTokenSettings): KeptSecret | undefined {
  if (secret && digest)
    throw new ConfigError('GATEWAY_FIRST_TOKEN and GATEWAY_FIRST_TOKEN_SHA256: set one of them, not both');
  if (secret) return keptSecret(secret);
  return digest ? ofHash(digest.toLowerCase()) : undefined;
}

/** Its first characters are known to nobody here: what is shown can be compared with the setting. */
function ofHash(digest: string): KeptSecret {
  const hash = Buffer.from(digest, 'hex').toString('base64url');
  return { hash, prefix: `sha256:${digest.slice(0, shownDigits)}` };
}
