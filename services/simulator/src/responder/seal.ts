import { hash } from 'node:crypto';

const digestBytes = 16;

/** A signature that only the simulator makes: base64 of a prefix, which is base64, a digest and the content. */
export function sealed(prefix: string, content: string): string {
  const digest = hash('sha256', `the simulator seals: ${content}`, 'buffer').subarray(0, digestBytes);
  return Buffer.concat([Buffer.from(prefix, 'base64'), digest, Buffer.from(content)]).toString('base64');
}

/** The content of a signature; null if the simulator did not make it. */
export function unsealed(prefix: string, signature: string): string | null {
  const start = Buffer.byteLength(prefix, 'base64') + digestBytes;
  const content = Buffer.from(signature, 'base64').subarray(start).toString();
  return sealed(prefix, content) === signature ? content : null;
}
