/** Usage: tokens, or seconds of audio. */
export interface TranscriptionUsage {
  type?: 'tokens' | 'duration';
  input_tokens?: number;
  input_token_details?: { text_tokens?: number; audio_tokens?: number };
  output_tokens?: number;
  total_tokens?: number;
  seconds?: number;
}

/** Counts of a transcript's usage. */
interface TranscriptionCounts {
  input: number;
  audioInput: number;
  output: number;
  units?: { seconds?: number };
}

/** Writes usage: the seconds of the audio if they were counted, else tokens. */
export function transcriptionUsage({
  input,
  audioInput,
  output,
  units,
}: TranscriptionCounts): TranscriptionUsage {
  if (units?.seconds !== undefined) return { type: 'duration', seconds: units.seconds };
  return {
    type: 'tokens',
    input_tokens: input,
    input_token_details: { text_tokens: Math.max(0, input - audioInput), audio_tokens: audioInput },
    output_tokens: output,
    total_tokens: input + output,
  };
}

/** A response as JSON, in any of its formats. */
export interface TranscriptionAnswer {
  text: string;
  usage?: TranscriptionUsage;
  logprobs?: unknown[];
  task?: 'transcribe' | 'translate';
  /** The English name of the language, in lower case: `english`. */
  language?: string;
  /** Length of the audio in seconds. */
  duration?: number;
  words?: { word: string; start: number; end: number }[];
  segments?: {
    type?: TranscriptSegment['type'];
    /** A number in verbose_json, a text in diarized_json. */
    id: string | number;
    start: number;
    end: number;
    text: string;
    speaker?: string;
  }[];
}

export interface TranscriptDelta {
  type: 'transcript.text.delta';
  delta: string;
  logprobs?: unknown[];
  segment_id?: string;
}

/** A segment spoken by one speaker. */
export interface TranscriptSegment {
  type: 'transcript.text.segment';
  id: string;
  start: number;
  end: number;
  text: string;
  speaker: string;
}

export interface TranscriptDone {
  type: 'transcript.text.done';
  text: string;
  logprobs?: unknown[];
  usage?: TranscriptionUsage;
}
