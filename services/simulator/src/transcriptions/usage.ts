import { charactersAToken } from '../mind/usage.ts';
import type { TranscriptionAsked } from './parse.ts';
import type { Transcript } from './transcript.ts';

const tokensASecond = 10;

/** Tokens; of a model that is paid by the second none. */
export function spentOn(
  asked: TranscriptionAsked,
  { segments }: Transcript,
): { input: number; output: number } {
  if (asked.kind === 'whisper') return { input: 0, output: 0 };
  const { text, audio } = inputOf(asked);
  return { input: text + audio, output: segments.reduce((sum, { tokens }) => sum + tokens.length, 0) };
}

/** As the vendor shows it. */
export function usageOf(asked: TranscriptionAsked, transcript: Transcript) {
  if (asked.kind === 'whisper') return durationOf(asked);
  const { input, output } = spentOn(asked, transcript);
  const { text, audio } = inputOf(asked);
  return {
    type: 'tokens' as const,
    input_tokens: input,
    input_token_details: { text_tokens: text, audio_tokens: audio },
    output_tokens: output,
    total_tokens: input + output,
  };
}

export function durationOf({ seconds }: TranscriptionAsked) {
  return { type: 'duration' as const, seconds: Math.ceil(seconds) };
}

function inputOf({ request, seconds }: TranscriptionAsked): { text: number; audio: number } {
  const text = Math.ceil((request.prompt?.length ?? 0) / charactersAToken);
  return { text, audio: Math.ceil(seconds * tokensASecond) };
}
