import type { Usage } from '@model-gateway/canonical';
import type { ChatUsage } from '@model-gateway/wire';

/** Every count that the format lists. Cached and written tokens are part of the prompt, reasoning of the completion. */
export function renderUsage(usage: Usage): ChatUsage {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInput,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
      audio_tokens: usage.audioInput,
      image_tokens: usage.imageInput,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
