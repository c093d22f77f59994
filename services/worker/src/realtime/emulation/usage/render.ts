import { noUsage, type Usage } from '@model-gateway/canonical';
import type { RealtimeTranscriptUsage, RealtimeUsage } from '@model-gateway/wire';

/** Every integer is there: clients read them all. */
export function renderUsage(given: Usage | null): RealtimeUsage {
  const { input, cachedInput, audioInput, imageInput, output, audioOutput } = given ?? noUsage;
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: {
      text_tokens: Math.max(0, input - audioInput - imageInput),
      audio_tokens: audioInput,
      image_tokens: imageInput,
      cached_tokens: cachedInput,
      cached_tokens_details: { text_tokens: cachedInput, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: { text_tokens: Math.max(0, output - audioOutput), audio_tokens: audioOutput },
  };
}

/** Tokens, or the seconds of the audio where nobody counted any. */
export function renderTranscriptUsage(usage: Usage | null, seconds: number): RealtimeTranscriptUsage {
  if (!usage || usage.input + usage.output === 0)
    return { type: 'duration', seconds: usage?.units?.seconds ?? seconds };
  const { input, audioInput, output } = usage;
  return {
    type: 'tokens',
    total_tokens: input + output,
    input_tokens: input,
    input_token_details: { text_tokens: Math.max(0, input - audioInput), audio_tokens: audioInput },
    output_tokens: output,
  };
}
