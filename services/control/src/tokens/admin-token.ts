import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError, persistentFile, type Settings } from '@model-gateway/service';
import { type StoredSecret, storedDigest, storedSecret } from './tokens.ts';

export function readAdminToken({
  GATEWAY_ADMIN_TOKEN,
  GATEWAY_DATA,
}: Settings<'GATEWAY_ADMIN_TOKEN' | 'GATEWAY_DATA'>): string {
  if (GATEWAY_ADMIN_TOKEN) return GATEWAY_ADMIN_TOKEN;
  return persistentFile(
    join(GATEWAY_DATA, 'admin-token'),
    () => `admin-${randomBytes(32).toString('base64url')}`,
  );
}

/** Compares two secrets in constant time. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/** Returns the configured first token; undefined if it is not set. @throws ConfigError if it is set twice */
export function firstToken({
  GATEWAY_FIRST_TOKEN: secret,
  GATEWAY_FIRST_TOKEN_SHA256: digest,
}: Settings<'GATEWAY_FIRST_TOKEN' | 'GATEWAY_FIRST_TOKEN_SHA256'>): StoredSecret | undefined {
  if (secret && digest)
    throw new ConfigError('GATEWAY_FIRST_TOKEN and GATEWAY_FIRST_TOKEN_SHA256: set one of them, not both');
  if (secret) return storedSecret(secret);
  return digest ? storedDigest(digest) : undefined;
}
