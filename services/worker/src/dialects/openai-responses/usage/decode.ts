import { noUsage, type Usage } from '@model-gateway/canonical';
import type { ResponsesUpstreamUsage } from '@model-gateway/wire';

export function readUsage(raw: ResponsesUpstreamUsage): Usage {
  const { input_tokens_details: input, output_tokens_details: output } = raw;
  return {
    ...noUsage,
    input: raw.input_tokens ?? 0,
    cachedInput: input?.cached_tokens ?? 0,
    cacheWrite5m: input?.cache_write_tokens ?? 0,
    output: raw.output_tokens ?? 0,
    reasoning: output?.reasoning_tokens ?? 0,
    raw,
  };
}
