import type { Usage } from '@model-gateway/canonical';
import type { ResponsesUsage } from '@model-gateway/wire';

/** Every count that the format lists. Cached and written tokens are part of the input, reasoning of the output. */
export function renderUsage(usage: Usage): ResponsesUsage {
  return {
    input_tokens: usage.input,
    input_tokens_details: {
      cached_tokens: usage.cachedInput,
      cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}
