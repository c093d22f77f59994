import { noUsage, type Usage } from '@model-gateway/canonical';
import { inputIn, outputIn } from '../upstream/any-usage.ts';
import type { ChatChunk, ChatUsage } from './answer.ts';

/** Renders all token counts. The prompt includes cache reads and writes; the completion includes reasoning. */
export function renderUsage(usage: Usage): ChatUsage {
  return {
    ...renderTotals(usage),
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

/** Renders the counts without their details. */
export function renderTotals({ input, output }: Usage) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/** Reads usage; `tier` is the service tier that the upstream says beside it. */
export function readUsage(raw: ChatUsage, tier?: unknown): Usage {
  const { prompt_tokens_details: input, completion_tokens_details: output } = raw;
  return {
    ...noUsage,
    input: inputIn(raw),
    // Some servers report cached tokens beside the details, by one of two names.
    cachedInput: input?.cached_tokens ?? raw.cached_tokens ?? raw.prompt_cache_hit_tokens ?? 0,
    cacheWrite5m: input?.cache_write_tokens ?? 0,
    audioInput: input?.audio_tokens ?? 0,
    imageInput: input?.image_tokens ?? 0,
    output: outputOf(raw),
    reasoning: output?.reasoning_tokens ?? 0,
    audioOutput: output?.audio_tokens ?? 0,
    ...(typeof tier === 'string' && { tier }),
    raw,
  };
}

/** Returns the output with reasoning. The total tells it where it is left out, or does not count the reasoning. */
function outputOf(raw: ChatUsage): number {
  const input = inputIn(raw);
  const output = outputIn(raw);
  const total = raw.total_tokens ?? 0;
  const reasoning = raw.completion_tokens_details?.reasoning_tokens ?? 0;
  const beyond = total - input;
  if (output === 0) return input > 0 && beyond > 0 ? beyond : 0;
  return reasoning > 0 && beyond === output + reasoning ? beyond : output;
}

/** True for a chunk that holds only usage. */
export function isUsageOnly({ usage, choices }: ChatChunk): boolean {
  return Boolean(usage) && choices?.length === 0;
}
