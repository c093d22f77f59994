import type { ResponsesUsage } from '@model-gateway/wire';
import type { Usage } from '../mind/usage.ts';

/** Usage as responses count it: cached tokens are among those of the input, reasoning among those of the output. */
export function responsesUsage({ input, cachedInput, output, reasoning }: Usage): ResponsesUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
