import { hash, randomBytes } from 'node:crypto';

/** A token in the bucket `access`; its secret is known to its owner alone. */
export interface TokenRecord {
  version: number;
  id: string;
  name: string;
  /** The project's name. */
  project: string;
  /** Milliseconds since 1970; null for never. */
  expiresAt: number | null;
  revoked: boolean;
}

/** A new token's secret: `sk-` and 256 random bits. */
export function createSecret(): string {
  return `sk-${randomBytes(32).toString('base64url')}`;
}

/** SHA-256 in base64url: all that is kept of a secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

const prefix = 'token.';

export function tokenKey(secretHash: string): string {
  return prefix + secretHash;
}

/** What {@link tokenKey} was made of; undefined for the key of something else. */
export function parseTokenKey(key: string): string | undefined {
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}
