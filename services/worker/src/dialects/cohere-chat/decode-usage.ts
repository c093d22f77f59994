import { noUsage, type Usage } from '@model-gateway/canonical';
import type { CohereUsage } from '@model-gateway/wire';

/**
 * Reads the usage: the tokens that the model read and wrote, of which the vendor bills those in `billed_units`. The prompt's
 * tokens include those that the vendor adds itself, such as its preamble, and which it does not bill.
 */
export function readUsage(raw: CohereUsage): Usage {
  const { billed_units: billed, tokens, cached_tokens: cached } = raw;
  const searches = billed?.search_units;
  return {
    ...noUsage,
    input: billed?.input_tokens ?? tokens?.input_tokens ?? 0,
    cachedInput: Math.min(cached ?? 0, billed?.input_tokens ?? tokens?.input_tokens ?? 0),
    output: billed?.output_tokens ?? tokens?.output_tokens ?? 0,
    ...(searches && { units: { searches } }),
    raw,
  };
}
