/** The number of bytes that {@link wavSeconds} needs. Metadata chunks may precede the audio data. */
export const wavHead = 4_096;

/**
 * Returns the duration of a WAV file of `size` bytes in seconds, or undefined for another file. `head` is its
 * first bytes. If the header's length is larger than the file, as in a recording that was streamed, the file
 * size counts.
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
