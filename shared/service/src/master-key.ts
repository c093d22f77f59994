import { randomBytes } from 'node:crypto';
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
