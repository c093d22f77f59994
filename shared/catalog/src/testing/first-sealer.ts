import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Sealed, Sealer } from '../seal.ts';

const algorithm = 'aes-256-gcm';
const options = { authTagLength: 16 };

/** Seals as the first version did: by the key itself. */
export class FirstSealer implements Sealer {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  seal(owner: string, secret: string): Sealed {
    const nonce = randomBytes(12);
    const cipher = createCipheriv(algorithm, this.#key, nonce, options);
    cipher.setAAD(Buffer.from(owner));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return { sealed: `v1.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}` };
  }

  /** Tries to open a text of any version. */
  unseal(owner: string, { sealed }: Sealed): string {
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    const opener = createDecipheriv(algorithm, this.#key, bytes.subarray(0, 12), options);
    opener.setAAD(Buffer.from(owner));
    opener.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([opener.update(bytes.subarray(28)), opener.final()]).toString();
  }
}
