import type { TranscriptionAsked } from './parse.ts';
import { spokenBy } from './segment.ts';
import { logprobsOf } from './stream.ts';
import { subtitles } from './subtitles.ts';
import type { Transcript } from './transcript.ts';
import { durationOf, usageOf } from './usage.ts';
import { verbose } from './verbose.ts';

const plain = 'text/plain; charset=utf-8';

/** A transcript in the format that was asked for; of what is JSON there is no type. */
export function whole(asked: TranscriptionAsked, transcript: Transcript): { body: unknown; type?: string } {
  const { text } = transcript;
  switch (asked.request.response_format) {
    case 'json':
      return {
        body: { text, ...logprobsOf(asked, transcript), usage: usageOf(asked, transcript) },
      };
    case 'verbose_json':
      return { body: { ...verbose(asked, transcript), usage: durationOf(asked) } };
    case 'diarized_json':
      return { body: diarized(asked, transcript) };
    case 'text':
      return { body: `${text}\n`, type: plain };
    case 'srt':
      return { body: subtitles(transcript, 'srt'), type: plain };
    case 'vtt':
      return { body: subtitles(transcript, 'vtt'), type: plain };
  }
}

function diarized(asked: TranscriptionAsked, { text, seconds, segments }: Transcript) {
  return {
    task: 'transcribe',
    duration: seconds,
    text,
    segments: segments.map(spokenBy),
    usage: usageOf(asked, { text, seconds, segments }),
  };
}
