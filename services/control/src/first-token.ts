import { ConfigError } from '@model-gateway/service';
import { type KeptSecret, keptSecret } from './tokens.ts';

export interface FirstTokenSettings {
  GATEWAY_FIRST_TOKEN?: string | undefined;
  GATEWAY_FIRST_TOKEN_SHA256?: string | undefined;
}

/** How much of its hash is shown of a token whose secret is not known, in hex digits. */
const shownDigits = 8;

/** The token that is there from the start; undefined where none is set. @throws ConfigError if it is set twice */
export function firstToken({
  GATEWAY_FIRST_TOKEN: secret,
  GATEWAY_FIRST_TOKEN_SHA256: digest,
}: FirstTokenSettings): KeptSecret | undefined {
  if (secret && digest)
    throw new ConfigError('GATEWAY_FIRST_TOKEN and GATEWAY_FIRST_TOKEN_SHA256: set one of them, not both');
  if (secret) return keptSecret(secret);
  return digest ? ofHash(digest.toLowerCase()) : undefined;
}

/** Its first characters are known to nobody here: what is shown can be compared with the setting. */
function ofHash(digest: string): KeptSecret {
  const hash = Buffer.from(digest, 'hex').toString('base64url');
  return { hash, prefix: `sha256:${digest.slice(0, shownDigits)}` };
}
