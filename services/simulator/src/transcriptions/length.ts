import { wrong } from '../openai-complaint.ts';
import type { Sound } from './upload.ts';

/** Bytes a second where a file does not say so in a way that is read here: what the simulator's own speech has, or what is usual. */
const rates: Record<string, number> = {
  mp3: 4_000,
  mpeg: 4_000,
  mpga: 4_000,
  ogg: 4_400,
  oga: 4_400,
  opus: 4_400,
  flac: 48_600,
};
const usualRate = 16_000;
const leastSeconds = 0.1;
const mostSeconds = 24 * 3_600;

/** How long a file sounds in seconds, a day at most: what a WAV file says, and of others as much as their size makes likely. */
export function lengthOf({ extension, head, bytes }: Sound): number {
  const seconds = extension === 'wav' ? wavSeconds(head, bytes) : bytes / (rates[extension] ?? usualRate);
  if (seconds < leastSeconds)
    throw wrong('Audio file is too short. Minimum audio length is 0.1 seconds.', 'audio_too_short', 'file');
  return Math.min(seconds, mostSeconds);
}

/** Where the header is not true, as of a file whose length was not known when it began, what is there counts. */
function wavSeconds(head: Buffer, bytes: number): number {
  let rate = 0;
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE')
    throw corrupted();
  for (let at = 12; at + 8 <= head.length; ) {
    const name = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 20 <= head.length) rate = head.readUInt32LE(at + 16);
    if (name === 'data' && rate > 0) return Math.min(size, bytes - at - 8) / rate;
    // A chunk of an odd size is padded.
    at += 8 + size + (size % 2);
  }
  throw corrupted();
}

function corrupted() {
  return wrong('Audio file might be corrupted or unsupported', 'invalid_value', 'file');
}
