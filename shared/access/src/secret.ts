import { randomBytes } from 'node:crypto';

/** Creates a token's secret: `sk-` and 256 random bits. */
export function createSecret(): string {
  return `sk-${randomBytes(32).toString('base64url')}`;
}
