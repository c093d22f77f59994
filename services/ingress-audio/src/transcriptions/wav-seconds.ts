/** How much of a file {@link wavSeconds} looks at: chunks of notes may come before the sound. */
export const wavHead = 4_096;

/**
 * How long a WAV file of `size` bytes sounds, in seconds, by its first bytes; undefined for any other file. Where the length in its
 * header is not true, as of what was recorded while it was sent, what is there counts.
 */
export function wavSeconds(head: Buffer, size: number): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
    if (name === 'data')
      return bytesPerSecond > 0 ? Math.min(length, size - at - 8) / bytesPerSecond : undefined;
    // A chunk of an odd length is padded.
    at += 8 + length + (length % 2);
  }
  return undefined;
}
