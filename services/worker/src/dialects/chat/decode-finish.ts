import { type FinishReason, noUsage, type Usage } from '@model-gateway/canonical';
import type { ChatFinishReason, ChatUsage } from '@model-gateway/wire';

const reasons: Record<ChatFinishReason, FinishReason> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
};

export function finishReason(raw: string | null): FinishReason {
  return raw !== null && Object.hasOwn(reasons, raw) ? reasons[raw as ChatFinishReason] : 'other';
}

export function readUsage(raw: ChatUsage): Usage {
  const { prompt_tokens_details: input, completion_tokens_details: output } = raw;
  return {
    ...noUsage,
    input: raw.prompt_tokens ?? 0,
    cachedInput: input?.cached_tokens ?? 0,
    cacheWrite5m: input?.cache_write_tokens ?? 0,
    audioInput: input?.audio_tokens ?? 0,
    imageInput: input?.image_tokens ?? 0,
    output: raw.completion_tokens ?? 0,
    reasoning: output?.reasoning_tokens ?? 0,
    audioOutput: output?.audio_tokens ?? 0,
    raw,
  };
}
