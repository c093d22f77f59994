import { aLaw, type Law, muLaw } from './g711.ts';

export type AudioFormat =
  | { type: 'audio/pcm'; rate?: 24_000 | undefined }
  | { type: 'audio/pcmu' }
  | { type: 'audio/pcma' };

const laws: Partial<Record<AudioFormat['type'], Law>> = { 'audio/pcmu': muLaw, 'audio/pcma': aLaw };
/** Of 24,000 samples a second the telephone has every third. */
const thinned = 3;

/** Bytes of a millisecond. */
export function bytesAMs({ type }: AudioFormat): number {
  return type === 'audio/pcm' ? 48 : 8;
}

/** PCM of 24 kHz in another format. */
export function encoded(pcm: Buffer, { type }: AudioFormat): Buffer {
  const law = laws[type];
  if (!law) return pcm;
  const bytes = Buffer.alloc(Math.floor(pcm.length / 2 / thinned));
  for (let at = 0; at < bytes.length; at++) bytes[at] = law.encode(pcm.readInt16LE(at * thinned * 2));
  return bytes;
}

/** How loud audio is, from 0 to 1: the root of the mean of the squares. */
export function loudness(audio: Buffer, { type }: AudioFormat): number {
  const law = laws[type];
  const count = law ? audio.length : Math.floor(audio.length / 2);
  let sum = 0;
  for (let at = 0; at < count; at++) {
    const sample = law ? law.decode(audio[at] as number) : audio.readInt16LE(at * 2);
    sum += sample * sample;
  }
  return count === 0 ? 0 : Math.sqrt(sum / count) / 32_768;
}
