import { type BucketReader, type BucketWatch, type Bus, watchBucket } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { hashSecret, parseTokenKey, type TokenRecord } from './token.ts';

/** Every token, in memory, by the hash of its secret. */
export class Access implements BucketReader {
  readonly #tokens = new Map<string, TokenRecord>();

  put(key: string, value: unknown): void {
    const secretHash = parseTokenKey(key);
    if (secretHash) this.#tokens.set(secretHash, value as TokenRecord);
  }

  remove(key: string): void {
    const secretHash = parseTokenKey(key);
    if (secretHash) this.#tokens.delete(secretHash);
  }

  /**
   * The token that `secret` belongs to; `now` is in milliseconds since 1970.
   * @throws GatewayError of kind `unauthenticated`
   */
  check(secret: string | undefined, now: number): TokenRecord {
    if (!secret) throw new GatewayError('unauthenticated', 'No API key was provided.');
    const token = this.#tokens.get(hashSecret(secret));
    if (!token || token.revoked) throw refused('Incorrect API key provided.');
    if (token.expiresAt !== null && token.expiresAt <= now) throw refused('This API key has expired.');
    return token;
  }
}

function refused(message: string): GatewayError {
  return new GatewayError('unauthenticated', message, { code: 'invalid_api_key' });
}

/** The tokens as control keeps them, complete when this resolves and then fed by `watch`. */
export async function openAccess(bus: Bus): Promise<{ access: Access; watch: BucketWatch }> {
  const access = new Access();
  const watch = await watchBucket(bus, 'access', access);
  return { access, watch };
}
