import type { Ending, FinishReason, Usage } from '@model-gateway/canonical';
import type { ChatFinishReason, ChatUsage } from '@model-gateway/wire';

const reasons: Record<FinishReason, ChatFinishReason> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
  // The turn is not over, and the client should not take it for whole.
  pause: 'length',
  other: 'stop',
};

/** What an answer has shown by its end. */
export interface Shown {
  calls: boolean;
  refusal: boolean;
  /** Its call went out in the old form. */
  legacy: boolean;
}

/** Calls are why the model stopped, unless it was stopped. */
export function renderReason({ reason }: Ending, { calls, refusal, legacy }: Shown): ChatFinishReason {
  if (refusal && reason === 'refusal') return 'stop';
  const word = reasons[reason];
  if (word === 'tool_calls' || (word === 'stop' && calls)) return legacy ? 'function_call' : 'tool_calls';
  return word;
}

/** The upstream's explanation of a refusal that it gave no text for. */
export function lateRefusal({ reason, explanation }: Ending, { refusal }: Shown): string | undefined {
  return !refusal && (reason === 'refusal' || reason === 'content-filter') ? explanation : undefined;
}

/** Every count that the format lists. Cached and written tokens are part of the prompt, reasoning of the completion. */
export function renderUsage(usage: Usage): ChatUsage {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
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
