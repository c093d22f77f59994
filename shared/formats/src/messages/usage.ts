import { noUsage, type Usage } from '@model-gateway/canonical';
import { inputIn, outputIn } from '../upstream/any-usage.ts';
import type { MessagesUpstreamUsage, MessagesUsage } from './answer.ts';

/** Reads usage. The upstream's three input counters are disjoint; the gateway's input is their sum. */
export function readUsage(raw: MessagesUpstreamUsage): Usage {
  const { cache_read_input_tokens: read, cache_creation: byTime } = raw;
  const hour = byTime?.ephemeral_1h_input_tokens ?? 0;
  const written = raw.cache_creation_input_tokens || hour + (byTime?.ephemeral_5m_input_tokens ?? 0);
  const searches = raw.server_tool_use?.web_search_requests ?? 0;
  return {
    ...noUsage,
    input: inputIn(raw) + (read ?? 0) + written,
    cachedInput: read ?? 0,
    cacheWrite5m: Math.max(0, written - hour),
    cacheWrite1h: Math.min(written, hour),
    output: outputIn(raw),
    reasoning: raw.output_tokens_details?.thinking_tokens ?? 0,
    ...(searches > 0 && { units: { webSearches: searches } }),
    ...(typeof raw.service_tier === 'string' && { tier: raw.service_tier }),
    raw,
  };
}

/** Renders all token counts. `input_tokens` excludes cache reads and writes. */
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
