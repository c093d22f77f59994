import { hash, timingSafeEqual } from 'node:crypto';
import { type BucketReader, type BucketWatch, type Bus, Slab, watchBucket } from '@model-gateway/bus';
import { GatewayError, overloaded } from '@model-gateway/canonical';
import type { Budget } from './budgets/budget.ts';
import type { Limits } from './limits/limits.ts';
import { assertUse, type Scopes, type TokenUse } from './scopes.ts';
import { SharedLists } from './shared-lists.ts';

/** A secret of a token in the bucket `access`; only its owner knows the secret itself. */
export interface TokenRecord extends Scopes {
  version: number;
  /** The token's id. A token that was rotated has two secrets, and thus two records, for a time. */
  id: string;
  name: string;
  /** Name of the project. */
  project: string;
  /** Milliseconds since 1970; null for never. */
  expiresAt: number | null;
  revoked: boolean;
  /** True while the token may not be used, though it can be enabled again. */
  disabled?: boolean;
  limits?: Limits;
  budget?: Budget;
  /** Name of the user who owns the token. */
  owner?: string;
  /** Texts by name, for usage records. */
  tags?: Record<string, string>;
}

/** A token as an ingress knows it, by one of its secrets. */
export interface Token extends TokenRecord {
  readonly secretHash: string;
}

/** Returns the SHA-256 of a secret in base64url, the only form that is stored. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** The most secrets whose hashes are remembered. */
const maxRemembered = 10_000;

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

/** Work that goes on only while its token allows it. */
interface HeldWork {
  end: EndWork;
}

/** Every token, in memory, by the hash of its secret; and the running work of each. */
export class Access implements BucketReader {
  readonly #tokens = new Map<string, Token>();
  readonly #lists = new SharedLists();
  /** By the secret's hash: one of a token's two secrets may lose access while the other keeps it. */
  readonly #work = new Map<string, Slab<HeldWork>>();
  /** Hashes by secret, of tokens that were used since the last change of any token. A hash takes a hundredth of a small request. */
  readonly #hashes = new Map<string, string>();
  /** Signs calls; undefined before control has published it. */
  #callKey: string | undefined;
  /** True if the tokens may be out of date, so that no client can be admitted. */
  outOfDate: () => boolean = () => false;

  put(key: string, value: unknown): void {
    if (key === callKeyName) this.#callKey = (value as CallKeyRecord).key;
    const secretHash = parseTokenKey(key);
    if (!secretHash) return;
    this.#hashes.clear();
    const token = this.#withSharedLists({ ...(value as TokenRecord), secretHash });
    this.#tokens.set(secretHash, token);
    if (token.revoked) this.#end(secretHash, revoked());
    else if (token.disabled) this.#end(secretHash, disabled());
  }

  /** Returns the proof that a request is of this token; undefined before control has published the key for it. */
  proofOf(requestId: string, { id: tokenId, project, owner }: Token): string | undefined {
    return this.#callKey && proofOf(this.#callKey, { requestId, tokenId, project, owner });
  }

  #withSharedLists(token: Token): Token {
    const { models, endpoints, allowedAddresses } = token;
    if (models) token.models = this.#lists.share(models);
    if (endpoints) token.endpoints = this.#lists.share(endpoints);
    if (allowedAddresses) token.allowedAddresses = this.#lists.share(allowedAddresses);
    return token;
  }

  remove(key: string): void {
    const secretHash = parseTokenKey(key);
    this.#hashes.clear();
    if (secretHash && this.#tokens.delete(secretHash)) this.#end(secretHash, revoked());
  }

  /**
   * Returns the token of a secret; `now` is in milliseconds since 1970. `use`: the use that its scopes must allow, if any.
   * @throws GatewayError of kind `unauthenticated`, `forbidden`, or `overloaded` if the tokens may be out of date
   */
  check(secret: string | undefined, now: number, use?: TokenUse): Token {
    if (!secret) throw new GatewayError('unauthenticated', 'No API key was provided.');
    const known = this.#hashes.get(secret);
    const token = this.checkHash(known ?? hashSecret(secret), now);
    if (known === undefined) this.#remember(secret, token.secretHash);
    if (use) assertUse(token, use);
    return token;
  }

  /**
   * Returns the secret of a valid token, of those that a request holds; the first one if none is.
   * @throws GatewayError of kind `invalid-request` if they are secrets of different tokens
   */
  choose(secrets: readonly string[], now: number): string | undefined {
    if (secrets.length < 2) return secrets[0];
    let chosen: { secret: string; id: string } | undefined;
    for (const secret of secrets) {
      const token = this.#tokens.get(this.#hashes.get(secret) ?? hashSecret(secret));
      if (!token || token.revoked || token.disabled || hasExpired(token, now)) continue;
      if (chosen && chosen.id !== token.id) throw conflicting();
      chosen ??= { secret, id: token.id };
    }
    return chosen?.secret ?? secrets[0];
  }

  #remember(secret: string, hash: string): void {
    if (this.#hashes.size === maxRemembered) this.#hashes.clear();
    this.#hashes.set(secret, hash);
  }

  /** Does the same as `check` for a secret's hash: for work that continues without its client. */
  checkHash(hash: string, now: number): Token {
    const token = this.#tokens.get(hash);
    if (!token || token.revoked) throw refused('Incorrect API key provided.');
    if (token.disabled) throw disabled();
    if (hasExpired(token, now)) throw expired();
    if (this.outOfDate())
      throw overloaded('tokens_outdated', 'API keys cannot be checked at the moment.', {
        retryAfterMs: 5_000,
      });
    return token;
  }

  /** Returns a token as it is now; as it was if it was removed. */
  latest(token: Token): Token {
    return this.#tokens.get(token.secretHash) ?? token;
  }

  /** Ends `work` when the token is revoked, disabled, removed or expires, until the returned function is called. */
  hold({ secretHash }: Pick<Token, 'secretHash'>, work: HeldWork): () => void {
    const held = this.#work.get(secretHash) ?? new Slab();
    this.#work.set(secretHash, held);
    const slot = held.add(work);
    return () => held.remove(slot, work);
  }

  /** Ends the work of expired tokens, and forgets tokens without work: not as soon as the work ends, since most have more of it. */
  sweep(now: number): void {
    for (const [hash, held] of this.#work) {
      const token = this.#tokens.get(hash);
      if (token && hasExpired(token, now)) this.#end(hash, expired());
      if (held.size === 0) this.#work.delete(hash);
    }
  }

  #end(secretHash: string, reason: GatewayError): void {
    for (const work of this.#work.get(secretHash) ?? []) work.end(reason);
  }
}

function hasExpired({ expiresAt }: TokenRecord, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function conflicting(): GatewayError {
  return new GatewayError('invalid-request', 'The request has the API keys of different tokens. Send one.', {
    param: 'authorization',
    code: 'conflicting_credentials',
  });
}

function revoked(): GatewayError {
  return refused('This API key was revoked.');
}

function disabled(): GatewayError {
  return refused('This API key is disabled.');
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
  bus.clock.setInterval(() => access.sweep(bus.clock.now()), sweepMs).unref();
  return { access, watch };
}

/** The key in the bucket `access` under which control publishes what signs calls. Workers cannot read that bucket. */
export const callKeyName = 'key.calls';

export interface CallKeyRecord {
  version: number;
  /** In base64. */
  key: string;
}

/** The fields that a call and the usage records of its attempts share: to whom they are charged. */
interface Charged {
  requestId: string;
  tokenId: string;
  project: string;
  owner?: string | undefined;
}

/** The characters of a proof: 132 bits. */
const proofLength = 22;

/**
 * Signs whom a request is charged to. The key has one length and precedes what it signs: SHA-512/256 needs no HMAC,
 * since its result is half of its state and cannot be extended. Source: https://csrc.nist.gov/pubs/fips/180-4/upd1/final
 */
export function proofOf(key: string, { requestId, tokenId, project, owner }: Charged): string {
  const signed = JSON.stringify([requestId, tokenId, project, owner ?? null]);
  return hash('sha512-256', key + signed, 'base64url').slice(0, proofLength);
}

/** True if a usage record has the proof of a call of its token. */
export function isProven(key: string, record: unknown): boolean {
  const { proof, requestId, tokenId, project, owner } = Object(record) as Record<string, unknown>;
  if (!isText(proof) || !isText(requestId) || !isText(tokenId) || !isText(project)) return false;
  if (proof.length !== proofLength || !(owner === undefined || isText(owner))) return false;
  const expected = proofOf(key, { requestId, tokenId, project, owner });
  return timingSafeEqual(Buffer.from(proof, 'latin1'), Buffer.from(expected, 'latin1'));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
