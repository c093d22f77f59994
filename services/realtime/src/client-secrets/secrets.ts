import { hash, randomBytes } from 'node:crypto';
import { type Bus, RevisionedStore, StoreFullError, secretsMs } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import type { SecretRequest } from './parse.ts';

/** What every client secret begins with. */
export const secretPrefix = 'ek_';

/** What a client secret stands for. */
export interface ClientSecret {
  /** Of the secret of the token that made it: dead as soon as that is. */
  tokenHash: string;
  model: string;
  session: Record<string, unknown>;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

/** Client secrets, which NATS holds by their hash until they expire: any replica knows them. */
export class Secrets {
  readonly #keep: RevisionedStore;

  private constructor(keep: RevisionedStore) {
    this.#keep = keep;
  }

  static async open(bus: Bus): Promise<Secrets> {
    return new Secrets(await RevisionedStore.open(bus, { what: 'secrets', ttlMs: secretsMs }));
  }

  close(): void {
    this.#keep.close();
  }

  /** A new secret of a project. @throws GatewayError of kind `overloaded` where none can be kept, `rate-limited` where the project has too many */
  async make(
    project: string,
    tokenHash: string,
    { seconds, model, session }: SecretRequest,
  ): Promise<{ secret: string; expiresAt: number }> {
    const owner = Buffer.from(project).toString('base64url');
    if (await this.#keep.isUsedUpBy(owner)) throw usedUp();
    const secret = `${secretPrefix}${randomBytes(32).toString('base64url')}`;
    const expiresAt = (Math.floor(Date.now() / 1_000) + seconds) * 1_000;
    const kept: ClientSecret = { tokenHash, model, session, expiresAt };
    await this.#try(() => this.#keep.put(keyOf(secret), Buffer.from(JSON.stringify(kept)), 0, owner));
    return { secret, expiresAt };
  }

  /** What a secret stands for. @throws GatewayError of kind `unauthenticated`, or `overloaded` where NATS cannot tell */
  async find(secret: string, now: number): Promise<ClientSecret> {
    const found = await this.#try(() => this.#keep.get(keyOf(secret)));
    const kept: ClientSecret | undefined = found && JSON.parse(found.value.toString());
    if (kept && kept.expiresAt > now) return kept;
    throw new GatewayError('unauthenticated', 'The client secret is unknown or has expired.', {
      code: 'invalid_api_key',
    });
  }

  async #try<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const message =
        cause instanceof StoreFullError
          ? 'Too many client secrets are kept.'
          : 'Client secrets are not available.';
      throw new GatewayError('overloaded', message, { retryAfterMs: 5_000 }, { cause });
    }
  }
}

function usedUp(): GatewayError {
  const message = 'This project has used its half of the room for client secrets: wait until some expire.';
  return new GatewayError('rate-limited', message, { retryAfterMs: 60_000 });
}

function keyOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
