import { noUsage, type Usage } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import { inputIn, outputIn } from '../upstream/any-usage.ts';
import type {
  ResponsesUpstreamAnswer,
  ResponsesUpstreamItem,
  ResponsesUpstreamUsage,
  ResponsesUsage,
} from './answer.ts';

/** Renders all token counts. Input includes cache reads and writes; output includes reasoning. */
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

/** Reads the usage of a response, with the searches of the web among its output. */
export function readUsage(
  raw: ResponsesUpstreamUsage,
  { output: items, service_tier: tier }: Partial<ResponsesUpstreamAnswer>,
): Usage {
  const searches = (items ?? []).filter(isSearch).length;
  const { input_tokens_details: input, output_tokens_details: output } = raw;
  return {
    ...noUsage,
    input: inputIn(raw),
    cachedInput: input?.cached_tokens ?? 0,
    cacheWrite5m: input?.cache_write_tokens ?? 0,
    output: outputIn(raw),
    reasoning: output?.reasoning_tokens ?? 0,
    ...(searches > 0 && { units: { webSearches: searches } }),
    ...(typeof tier === 'string' && { tier }),
    raw,
  };
}

/** True for a search; pages that the tool opens are not billed. */
function isSearch({ type, action }: ResponsesUpstreamItem): boolean {
  return (
    type === 'web_search_call' &&
    (!isJsonObject(action) || action.type === undefined || action.type === 'search')
  );
}
