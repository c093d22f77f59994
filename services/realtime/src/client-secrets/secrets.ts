import { hash, randomBytes } from 'node:crypto';
import { type Bus, secretsMs, storedStreams } from '@model-gateway/bus';
import { GatewayError, overloaded } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { RevisionedStore, StoreFullError } from '@model-gateway/store';
import type { SecretRequest } from './parse.ts';

/** Prefix of every client secret. */
export const secretPrefix = 'ek_';

/** The stored data of a client secret. */
interface ClientSecret {
  /** Hash of the secret of the token that created it; a revoked token invalidates it. */
  tokenHash: string;
  model: string;
  session: Record<string, unknown>;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

/** Client secrets, stored in NATS by their hash until they expire, for all replicas. */
export class Secrets {
  readonly #store: RevisionedStore;
  readonly #clock: Clock;

  private constructor(store: RevisionedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  static async open(bus: Bus): Promise<Secrets> {
    const store = await RevisionedStore.open(bus, storedStreams.secrets, { ttlMs: secretsMs });
    return new Secrets(store, bus.clock);
  }

  close(): void {
    this.#store.close();
  }

  /** @throws GatewayError of kind `overloaded`, or `rate-limited` if the project has too many secrets */
  async make(
    project: string,
    tokenHash: string,
    { seconds, model, session }: SecretRequest,
  ): Promise<{ secret: string; expiresAt: number }> {
    const owner = Buffer.from(project).toString('base64url');
    if (await this.#store.isUsedUpBy(owner)) throw usedUp();
    const secret = `${secretPrefix}${randomBytes(32).toString('base64url')}`;
    const expiresAt = (Math.floor(this.#clock.now() / 1_000) + seconds) * 1_000;
    const stored: ClientSecret = { tokenHash, model, session, expiresAt };
    await this.#try(() => this.#store.put(keyOf(secret), Buffer.from(JSON.stringify(stored)), 0, { owner }));
    return { secret, expiresAt };
  }

  /** @throws GatewayError of kind `unauthenticated`, or `overloaded` if NATS is not available */
  async find(secret: string, now: number): Promise<ClientSecret> {
    const found = await this.#try(() => this.#store.get(keyOf(secret)));
    const stored: ClientSecret | undefined = found && JSON.parse(found.value.toString());
    if (stored && stored.expiresAt > now) return stored;
    throw new GatewayError('unauthenticated', 'The client secret is unknown or has expired.', {
      code: 'invalid_api_key',
    });
  }

  async #try<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const details = { retryAfterMs: 5_000 };
      if (!(cause instanceof StoreFullError))
        throw overloaded('client_secrets_unavailable', 'Client secrets are not available.', details, {
          cause,
        });
      const message = 'The storage for client secrets is full: wait until some expire.';
      throw overloaded('client_secrets_full', message, details, { cause });
    }
  }
}

function usedUp(): GatewayError {
  const message = "This project's share of the storage for client secrets is full: wait until some expire.";
  return new GatewayError('rate-limited', message, { retryAfterMs: 60_000 });
}

function keyOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
