import type { Usage } from '../mind/usage.ts';

/** Usage as the chat format counts it, with every detail; what the simulator does not have is 0. */
export function chatUsage({ input, cachedInput, audioInput, output, reasoning }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: 0, audio_tokens: audioInput },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
