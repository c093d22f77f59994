import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptKey, readKey } from './master-key.ts';

interface PoolKeySettings {
  GATEWAY_POOL: string;
  GATEWAY_POOL_KEY?: string | undefined;
  GATEWAY_DATA: string;
}

/** The folder of the keys that are made when first needed, by control or a worker. */
const madeIn = (data: string) => join(data, 'pool-keys');

/** Returns the key of a worker's pool. @throws ConfigError that names the setting or the file with an invalid key */
export function readPoolKey({ GATEWAY_POOL, GATEWAY_POOL_KEY, GATEWAY_DATA }: PoolKeySettings): Buffer {
  if (GATEWAY_POOL_KEY) return readKey(GATEWAY_POOL_KEY, 'GATEWAY_POOL_KEY');
  const path = join(madeIn(GATEWAY_DATA), GATEWAY_POOL);
  return readKey(keptKey(path), path);
}

interface PoolKeysSettings {
  GATEWAY_POOL_KEYS?: string | undefined;
  GATEWAY_DATA: string;
}

/** The keys of all pools, as control has them: a file for each, which has the name of its pool. */
export class PoolKeys {
  /** The folder of the files. */
  readonly folder: string;
  readonly #makes: boolean;

  constructor({ GATEWAY_POOL_KEYS, GATEWAY_DATA }: PoolKeysSettings) {
    this.folder = GATEWAY_POOL_KEYS ?? madeIn(GATEWAY_DATA);
    this.#makes = GATEWAY_POOL_KEYS === undefined;
  }

  /** Returns the key of a pool; in the folder of `GATEWAY_DATA` it is made when first needed. @throws Error if there is none */
  of(pool: string): Buffer {
    const path = join(this.folder, pool);
    return readKey(this.#makes ? keptKey(path) : readFileSync(path, 'utf8').trim(), path);
  }
}
