import { hash } from 'node:crypto';
import { type BucketReader, type BucketWatch, type Bus, watchBucket } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';

/** A token in the bucket `access`; only its owner knows the secret. */
export interface TokenRecord {
  version: number;
  id: string;
  name: string;
  /** Name of the project. */
  project: string;
  /** Milliseconds since 1970; null for never. */
  expiresAt: number | null;
  revoked: boolean;
}

/** Returns the SHA-256 of a secret in base64url, the only form that is stored. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

const prefix = 'token.';

export function tokenKey(secretHash: string): string {
  return prefix + secretHash;
}

/** Returns the secret's hash of a {@link tokenKey}; undefined for any other key. */
export function parseTokenKey(key: string): string | undefined {
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

/** Interval of the checks for expired tokens with running work, in milliseconds. */
const sweepMs = 500;

/** Ends work that its token does not allow any more. */
export type EndWork = (reason: GatewayError) => void;

/** Every token, in memory, by the hash of its secret; and the running work of each. */
export class Access implements BucketReader {
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #work = new Map<TokenRecord['id'], { token: TokenRecord; ends: Set<EndWork> }>();
  /** True if the tokens may be out of date, so that no client can be admitted. */
  outOfDate: () => boolean = () => false;

  put(key: string, value: unknown): void {
    const secretHash = parseTokenKey(key);
    if (!secretHash) return;
    const token = value as TokenRecord;
    this.#tokens.set(secretHash, token);
    const work = this.#work.get(token.id);
    if (work) work.token = token;
    if (token.revoked) this.#end(token.id, revoked());
  }

  remove(key: string): void {
    const secretHash = parseTokenKey(key);
    const token = secretHash && this.#tokens.get(secretHash);
    if (!token) return;
    this.#tokens.delete(secretHash);
    this.#end(token.id, revoked());
  }

  /**
   * Returns the token of a secret; `now` is in milliseconds since 1970.
   * @throws GatewayError of kind `unauthenticated`, or `overloaded` if the tokens may be out of date
   */
  check(secret: string | undefined, now: number): TokenRecord {
    if (!secret) throw new GatewayError('unauthenticated', 'No API key was provided.');
    return this.checkHash(hashSecret(secret), now);
  }

  /** Does the same as `check` for a secret's hash: for work that continues without its client. */
  checkHash(hash: string, now: number): TokenRecord {
    const token = this.#tokens.get(hash);
    if (!token || token.revoked) throw refused('Incorrect API key provided.');
    if (hasExpired(token, now)) throw expired();
    if (this.outOfDate())
      throw new GatewayError('overloaded', 'API keys cannot be checked at the moment.', {
        retryAfterMs: 5_000,
      });
    return token;
  }

  /** Calls `end` when the token is revoked, removed or expires, until the returned function is called. */
  hold(token: TokenRecord, end: EndWork): () => void {
    let work = this.#work.get(token.id);
    if (!work) {
      work = { token, ends: new Set() };
      this.#work.set(token.id, work);
    }
    const { ends } = work;
    ends.add(end);
    return () => {
      ends.delete(end);
      if (ends.size === 0 && this.#work.get(token.id)?.ends === ends) this.#work.delete(token.id);
    };
  }

  /** Ends the work of expired tokens. */
  sweep(now: number): void {
    for (const { token } of this.#work.values()) if (hasExpired(token, now)) this.#end(token.id, expired());
  }

  #end(id: TokenRecord['id'], reason: GatewayError): void {
    for (const end of this.#work.get(id)?.ends ?? []) end(reason);
  }
}

function hasExpired({ expiresAt }: TokenRecord, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function revoked(): GatewayError {
  return refused('This API key was revoked.');
}

function expired(): GatewayError {
  return refused('This API key has expired.');
}

function refused(message: string): GatewayError {
  return new GatewayError('unauthenticated', message, { code: 'invalid_api_key' });
}

/**
 * Opens the tokens that control publishes: complete when this resolves, then updated by `watch`. Once they
 * may have been out of date for `staleLimitMs`, no client is admitted.
 */
export async function openAccess(
  bus: Bus,
  staleLimitMs = Number.POSITIVE_INFINITY,
): Promise<{ access: Access; watch: BucketWatch }> {
  const access = new Access();
  const watch = await watchBucket(bus, 'access', access);
  access.outOfDate = () => watch.staleMs() > staleLimitMs;
  setInterval(() => access.sweep(Date.now()), sweepMs).unref();
  return { access, watch };
}
