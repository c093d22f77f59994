import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A secret as stored in SQL and KV: `v1.` and base64url of nonce, tag and AES-256-GCM ciphertext. */
export interface Sealed {
  sealed: string;
}

const algorithm = 'aes-256-gcm';
const prefix = 'v1.';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a secret with a 32-byte key. Decryption requires the same `owner`, the name of its provider. */
export function seal(key: Uint8Array, owner: string, secret: string): Sealed {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return { sealed: prefix + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url') };
}

/** Decrypts a secret. @throws Error if the key or owner differs, or the text was changed */
export function unseal(key: Uint8Array, owner: string, { sealed }: Sealed): string {
  try {
    if (!sealed.startsWith(prefix)) throw new Error('unknown version');
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url');
    const nonce = bytes.subarray(0, nonceBytes);
    const opener = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    opener.setAAD(Buffer.from(owner));
    opener.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = bytes.subarray(nonceBytes + tagBytes);
    return Buffer.concat([opener.update(text), opener.final()]).toString('utf8');
  } catch (cause) {
    throw new Error(
      `a secret of provider ${JSON.stringify(owner)} cannot be decrypted with this master key`,
      { cause },
    );
  }
}
