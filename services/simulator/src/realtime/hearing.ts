import { paceOf } from '../mind/pace.ts';
import { kindOf } from '../transcriptions/model-kind.ts';
import { transcript } from '../transcriptions/transcript.ts';

/** What is heard in audio: as many words of the passage as fit. */
export function heardIn(ms: number): string[] {
  const pace = { ...paceOf(''), tokens: null };
  const { segments } = transcript({ seconds: ms / 1_000, request: { known_speaker_names: [] }, pace });
  return segments.flatMap(({ tokens }) => tokens);
}

const audioTokenMs = 100;

export function audioTokens(ms: number): number {
  return Math.ceil(ms / audioTokenMs);
}

/** What a transcription cost, as its model counts. */
export function transcriptionUsage(model: string, ms: number, words: number) {
  if (kindOf(model) === 'whisper') return { type: 'duration' as const, seconds: Math.ceil(ms / 10) / 100 };
  const audio = audioTokens(ms);
  return {
    type: 'tokens' as const,
    total_tokens: audio + words,
    input_tokens: audio,
    input_token_details: { text_tokens: 0, audio_tokens: audio },
    output_tokens: words,
  };
}
