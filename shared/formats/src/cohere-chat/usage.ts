import { noUsage, type Usage } from '@model-gateway/canonical';
import { inputIn, outputIn } from '../upstream/any-usage.ts';
import type { CohereUsage } from './types.ts';

/**
 * Reads the usage: the tokens that the model read and wrote, of which the vendor bills those in `billed_units`. The prompt's
 * tokens include those that the vendor adds itself, such as its preamble, and which it does not bill.
 */
export function readUsage(raw: CohereUsage): Usage {
  const { billed_units: billed, tokens, cached_tokens: cached } = raw;
  const searches = billed?.search_units;
  const input = inputIn(billed ?? {}) || inputIn(tokens ?? {}) || inputIn(raw);
  return {
    ...noUsage,
    input,
    cachedInput: Math.min(cached ?? 0, input),
    output: outputIn(billed ?? {}) || outputIn(tokens ?? {}) || outputIn(raw),
    ...(searches && { units: { searches } }),
    raw,
  };
}
