import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** A secret as stored in SQL and KV: a version, and base64url of nonce, tag and AES-256-GCM ciphertext. */
export interface Sealed {
  sealed: string;
}

/** Seals and opens secrets. One opens only for the `owner` for which it was sealed, such as the name of its provider. */
export interface Sealer {
  seal(owner: string, secret: string): Sealed;
  /** @throws Error if the key or owner differs, or the text was changed */
  unseal(owner: string, sealed: Sealed): string;
}

/** The versions of sealed texts: by a key made of the master key, and by the key of a pool. */
const versions = { purpose: 'v2.', pool: 'p1.' } as const;
type Version = (typeof versions)[keyof typeof versions];

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Makes a key for one purpose. Neither `key` nor its keys for other purposes can be computed from it. */
export function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `model-gateway ${purpose}`, keyBytes));
}

/** Seals with the key for one purpose that is made of a master key. */
export class PurposeSealer implements Sealer {
  readonly #key: Uint8Array;

  constructor(masterKey: Uint8Array, purpose: string) {
    this.#key = deriveKey(masterKey, purpose);
  }

  seal(owner: string, secret: string): Sealed {
    return encrypt(versions.purpose, this.#key, owner, secret, randomBytes(nonceBytes));
  }

  unseal(owner: string, sealed: Sealed): string {
    return opened(
      decrypt(versions.purpose, this.#key, owner, sealed),
      owner,
      'cannot be decrypted with this master key',
    );
  }
}

/** In place of a secret that control could not seal for a pool: the reason. */
export const notSealed = {
  noPoolKey: 'none.pool-key',
  unreadable: 'none.unreadable',
} as const;

/**
 * Seals for the workers of a pool, by the key of the pool. The nonce is computed from the secret, so that each time
 * and in each control the same text results: who reads two of them learns only if the secrets of a provider are equal.
 */
export class PoolSealer implements Sealer {
  readonly #key: Uint8Array;
  readonly #nonceKey: Uint8Array;

  constructor(poolKey: Uint8Array) {
    this.#key = deriveKey(poolKey, 'providers');
    this.#nonceKey = deriveKey(poolKey, 'nonces');
  }

  seal(owner: string, secret: string): Sealed {
    const mac = createHmac('sha256', this.#nonceKey)
      .update(JSON.stringify([owner, secret]))
      .digest();
    return encrypt(versions.pool, this.#key, owner, secret, mac.subarray(0, nonceBytes));
  }

  unseal(owner: string, sealed: Sealed): string {
    return opened(decrypt(versions.pool, this.#key, owner, sealed), owner, reasonOf(sealed));
  }
}

function reasonOf({ sealed }: Sealed): string {
  if (sealed === notSealed.noPoolKey)
    return 'is not sealed for this pool: control has no key of the pool in GATEWAY_POOL_KEYS';
  if (sealed === notSealed.unreadable)
    return 'cannot be read by control: it was sealed with another master key, and must be entered again';
  if (!sealed.startsWith(versions.pool)) return 'is not sealed for this pool';
  return 'cannot be opened with the key of this pool: GATEWAY_POOL_KEY is not the one that control has';
}

/** @throws Error if there is no text */
function opened(text: string | undefined, owner: string, reason: string): string {
  if (text === undefined) throw new Error(`a secret of provider ${JSON.stringify(owner)} ${reason}`);
  return text;
}

function encrypt(
  version: Version,
  key: Uint8Array,
  owner: string,
  secret: string,
  nonce: Uint8Array,
): Sealed {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return { sealed: version + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url') };
}

/** Returns undefined if the version, key or owner differs, or the text was changed. */
function decrypt(version: Version, key: Uint8Array, owner: string, { sealed }: Sealed): string | undefined {
  if (!sealed.startsWith(version)) return undefined;
  try {
    const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
    const nonce = bytes.subarray(0, nonceBytes);
    const opener = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    opener.setAAD(Buffer.from(owner));
    opener.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = bytes.subarray(nonceBytes + tagBytes);
    return Buffer.concat([opener.update(text), opener.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
