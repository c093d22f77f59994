import type { Segment } from './transcript.ts';

/** A segment with its speaker, in a body and in a stream. */
export function spokenBy({ start, end, speaker, tokens }: Segment, at: number) {
  const text = tokens.join('').trim();
  return { type: 'transcript.text.segment', id: `seg_${at}`, start, end, text, speaker };
}
