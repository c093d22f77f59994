import { createHash } from 'node:crypto';

/** Returns the first hex digits of a text's SHA-256. */
export function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** Returns the UTF-8 text that base64 holds. */
export function textOfBase64(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Returns the bytes that base64 holds, as a text with a character for each. */
export function latin1OfBase64(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}

/** Returns a text in UTF-8. */
export function utf8Of(text: string): Uint8Array {
  return Buffer.from(text);
}

/** Returns the text of UTF-8 from one byte to before another. */
export function textOfUtf8(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', from, to);
}
