import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentials } from './aws-credentials.ts';
import type { Connection, UnsignedRequest } from './profile.ts';

/** The service and region that a signature is for, and the keys that make it. */
interface Scope {
  service: string;
  region: string;
  credentials: AwsCredentials;
}

/** Headers that the signature covers if a request has them. Proxies may change the others. */
const covered = /^(?:content-type$|accept$|x-amzn-)/;

/** Returns a function that signs requests by AWS's Signature Version 4. */
export function sigV4({ service, region, credentials }: Scope): Connection['sign'] {
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  return async ({ method, url, headers, body }: UnsignedRequest) => {
    const at = url.indexOf('/', url.indexOf('://') + 3);
    const host = url.slice(url.indexOf('://') + 3, at);
    const shown = Object.entries(headers).filter(([name]) => covered.test(name));
    const { headers: signed } = await signer.sign({
      method,
      protocol: url.slice(0, url.indexOf('//')),
      hostname: host,
      path: url.slice(at),
      query: {},
      headers: { ...Object.fromEntries(shown), host },
      body,
    });
    const added = Object.entries(signed).filter(
      ([name]) => name.startsWith('x-amz-') || name === 'authorization',
    );
    return Object.fromEntries(added);
  };
}

/** SHA-256 of Node, in the form that the signer takes. */
class Sha256 {
  readonly #secret: Secret | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: Secret) {
    this.#secret = secret;
    this.#hash = begun(secret);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = begun(this.#secret);
  }
}

type Secret = string | ArrayBuffer | ArrayBufferView;

function begun(secret: Secret | undefined): Hash | Hmac {
  if (secret === undefined) return createHash('sha256');
  return createHmac('sha256', typeof secret === 'string' ? secret : bytesOf(secret));
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
