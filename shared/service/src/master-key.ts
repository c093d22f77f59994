import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from './config.ts';
import { persistentFile } from './whole-file.ts';

interface MasterKeySettings {
  GATEWAY_MASTER_KEY?: string | undefined;
  GATEWAY_DATA: string;
}

const form = 'must be 32 bytes in base64 or hex';
/** Schema of a setting that is a key. */
export const keyText = z.string().refine(text => decodeKey(text) !== undefined, form);

/** Returns the key of which control makes all of its own. @throws ConfigError naming the setting or file with an invalid key */
export function readMasterKey({ GATEWAY_MASTER_KEY, GATEWAY_DATA }: MasterKeySettings): Buffer {
  if (GATEWAY_MASTER_KEY) return readKey(GATEWAY_MASTER_KEY, 'GATEWAY_MASTER_KEY');
  const path = join(GATEWAY_DATA, 'master-key');
  return readKey(keptKey(path), path);
}

/** Returns the text of a file with a key, which is made when first needed. @throws ConfigError if there can be no such file */
export function keptKey(path: string): string {
  try {
    return persistentFile(path, () => randomBytes(32).toString('base64'));
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Reads a key. @throws ConfigError that names its source if it is none */
export function readKey(text: string, source: string): Buffer {
  const key = decodeKey(text);
  if (!key) throw new ConfigError(`${source}: ${form}`);
  return key;
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[\w+/-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}

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
