/** Returns hex digits that tell a text from others (FNV-1a): pages have no synchronous SHA-256, and keep what they digest to themselves. */
export function digest(text: string, digits: number): string {
  let hex = '';
  for (let round = 0; hex.length < digits; round++) {
    let hash = 0x811c9dc5;
    for (const letter of `${round} ${text}`)
      hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
    hex += (hash >>> 0).toString(16).padStart(8, '0');
  }
  return hex.slice(0, digits);
}

/** Returns the UTF-8 text that base64 holds. */
export function textOfBase64(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(latin1OfBase64(base64), letter => letter.charCodeAt(0)));
}

/** Returns the bytes that base64 in either alphabet holds, as a text with a character for each; empty for what is no base64. */
export function latin1OfBase64(base64: string): string {
  try {
    return atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

/** Returns a text in UTF-8. */
export function utf8Of(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns the text of UTF-8 from one byte to before another. */
export function textOfUtf8(bytes: Uint8Array, from: number, to: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from, to));
}
