import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keptFile } from './kept-file.ts';

export interface MasterKeySettings {
  /** 32 bytes in base64 or hex; where absent, the file `master-key` in GATEWAY_DATA, made at the first need. */
  GATEWAY_MASTER_KEY?: string | undefined;
  GATEWAY_DATA: string;
}

/** The key under which providers' secrets are sealed. @throws Error naming the setting or file that holds no such key. */
export function readMasterKey({ GATEWAY_MASTER_KEY, GATEWAY_DATA }: MasterKeySettings): Buffer {
  if (GATEWAY_MASTER_KEY) return parseKey(GATEWAY_MASTER_KEY, 'GATEWAY_MASTER_KEY');
  const path = join(GATEWAY_DATA, 'master-key');
  return parseKey(
    keptFile(path, () => randomBytes(32).toString('base64')),
    path,
  );
}

function parseKey(text: string, source: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[\w+/-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  throw new Error(`${source}: must be 32 bytes in base64 or hex`);
}
