import type { TranscriptDelta, TranscriptDone, TranscriptionAnswer, TranscriptSegment } from './answer.ts';

/** Returns the events of a stream for a whole answer: its text in one piece, the segments of speakers, and the end. */
export function transcriptEvents({
  text,
  segments,
  logprobs,
  usage,
}: TranscriptionAnswer): (TranscriptDelta | TranscriptSegment | TranscriptDone)[] {
  const probabilities = logprobs && { logprobs };
  const speakerSegments = (segments ?? []).flatMap(
    ({ id, start, end, text, speaker }): TranscriptSegment[] =>
      speaker == null ? [] : [{ type: 'transcript.text.segment', id: String(id), start, end, text, speaker }],
  );
  return [
    ...(text === '' ? [] : [{ type: 'transcript.text.delta' as const, delta: text, ...probabilities }]),
    ...speakerSegments,
    { type: 'transcript.text.done', text, ...probabilities, ...(usage && { usage }) },
  ];
}
