import { noUsage, type Usage } from '@model-gateway/canonical';
import type { MessagesUsage } from '@model-gateway/wire';

/** Token counts, every integer of them there: `input_tokens` is what was neither read from a cache nor written to one. */
export function renderUsage(usage: Usage | null): MessagesUsage {
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, output, reasoning } = usage ?? noUsage;
  return {
    input_tokens: Math.max(0, input - cachedInput - cacheWrite5m - cacheWrite1h),
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cachedInput,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
    speed: null,
  };
}
