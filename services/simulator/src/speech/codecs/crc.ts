/** A check sum of so many bits that begins at 0 and takes the highest bit first, as FLAC and Ogg have it. */
export function createCrc(bits: 8 | 16 | 32, polynomial: number): (bytes: Uint8Array) => number {
  const left = polynomial << (32 - bits);
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ left : sum << 1;
    return sum;
  });
  return bytes => {
    let sum = 0;
    for (const byte of bytes) sum = (sum << 8) ^ (table[(sum >>> 24) ^ byte] ?? 0);
    return sum >>> (32 - bits);
  };
}
