import { hash, randomBytes } from 'node:crypto';
import { type BucketReader, type BucketWatch, type Bus, watchBucket } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';

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

/** How often running work is looked at for tokens that have expired. */
const sweepMs = 500;

/** Ends work that a token no longer allows. */
export type EndWork = (reason: GatewayError) => void;

/** Every token, in memory, by the hash of its secret; and the work that each of them has under way. */
export class Access implements BucketReader {
  readonly #tokens = new Map<string, TokenRecord>();
  readonly #work = new Map<TokenRecord['id'], { token: TokenRecord; ends: Set<EndWork> }>();
  /** Why nobody can be let in, though the tokens are known: they may be out of date. */
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
   * The token that `secret` belongs to; `now` is in milliseconds since 1970.
   * @throws GatewayError of kind `unauthenticated`, or `overloaded` where nobody can tell any more
   */
  check(secret: string | undefined, now: number): TokenRecord {
    if (!secret) throw new GatewayError('unauthenticated', 'No API key was provided.');
    return this.checkHash(hashSecret(secret), now);
  }

  /** As `check`, of the secret's hash: of work that goes on without whoever asked for it. */
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

  /** Has `end` called when the token is revoked, removed or expires; the answer lets go of it. */
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

  /** Ends the work of tokens that have expired. */
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
 * The tokens as control keeps them, complete when this resolves and then fed by `watch`.
 * Once they may have been out of date for `staleLimitMs`, nobody is let in.
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
