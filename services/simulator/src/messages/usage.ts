import type { Usage } from '../mind/usage.ts';

/** Usage as the messages format counts it: cached tokens are not among the input tokens. */
export function messagesUsage(usage: Usage) {
  const { cacheWrite5m, cacheWrite1h } = usage;
  return {
    ...finalUsage(usage),
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}

/** The fields that the end of a stream tells once more. */
export function finalUsage({ input, cachedInput, cacheWrite5m, cacheWrite1h, output, reasoning }: Usage) {
  const written = cacheWrite5m + cacheWrite1h;
  return {
    input_tokens: input - cachedInput - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cachedInput,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: null,
  };
}
