import {
  mapSealed,
  notSealed,
  PoolSealer,
  type ProviderRecord,
  parseRecordKey,
  type Sealed,
  type Sealer,
} from '@model-gateway/catalog';
import type { PoolKeys } from '@model-gateway/service';
import type { Change } from '../common/change.ts';

/** A pool's key in hex, and what seals by it; the reason why there is none. */
type OfPool = { key: string; sealer: Sealer } | { key?: never; reason: string };

/**
 * Seals the secrets of published providers for the workers of their pools: KV holds none that another pool's key, or the
 * master key, opens.
 */
export class SecretsForWorkers {
  readonly #own: Sealer;
  readonly #keys: Pick<PoolKeys, 'of'>;
  readonly #pools = new Map<string, OfPool>();
  /** The reasons why workers cannot read the secrets of a provider, by its key in KV. */
  readonly #problems = new Map<string, string>();

  /** `own` opens secrets as the database has them. */
  constructor(own: Sealer, keys: Pick<PoolKeys, 'of'>) {
    this.#own = own;
    this.#keys = keys;
  }

  /** Returns a change as it is published. */
  seal(change: Change): Change {
    if (parseRecordKey(change.key)?.kind !== 'provider') return change;
    this.#problems.delete(change.key);
    if (!change.value) return change;
    const provider = change.value as ProviderRecord;
    return { ...change, value: mapSealed(provider, sealed => this.#forPool(sealed, provider, change.key)) };
  }

  /** Sentences for operators about providers whose secrets workers cannot read. */
  notices(): string[] {
    return [...this.#problems.values()];
  }

  /** True if the key of a pool has changed since secrets were sealed by it: they must be sealed again. */
  isOutdated(): boolean {
    const before = [...this.#pools];
    return before.map(([pool, { key }]) => this.#load(pool).key !== key).includes(true);
  }

  #forPool(sealed: Sealed, { name, pool }: ProviderRecord, key: string): Sealed {
    const secret = this.#open(name, sealed);
    if (secret === undefined) {
      this.#problems.set(key, `${name} has a secret that another master key has sealed: enter it again`);
      return { sealed: notSealed.unreadable };
    }
    const ofPool = this.#pools.get(pool) ?? this.#load(pool);
    if ('sealer' in ofPool) return ofPool.sealer.seal(name, secret);
    this.#problems.set(
      key,
      `workers of the pool ${pool} cannot read the secrets of ${name}: ${ofPool.reason}`,
    );
    return { sealed: notSealed.noPoolKey };
  }

  /** Returns undefined if another master key has sealed the secret. */
  #open(name: string, sealed: Sealed): string | undefined {
    try {
      return this.#own.unseal(name, sealed);
    } catch {
      return undefined;
    }
  }

  #load(pool: string): OfPool {
    const loaded = this.#read(pool);
    this.#pools.set(pool, loaded);
    return loaded;
  }

  #read(pool: string): OfPool {
    try {
      const key = this.#keys.of(pool);
      return { key: key.toString('hex'), sealer: new PoolSealer(key) };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  }
}
