import type { Ending, FinishReason, Usage } from '@model-gateway/canonical';
import type { ChatFinishReason, ChatUsage } from './answer.ts';

const reasons: Record<FinishReason, ChatFinishReason> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
  // The turn is not over, so the client must not treat the response as complete.
  pause: 'length',
  // Whatever ended it, it was no ordinary end.
  other: 'length',
};

/** The kinds of content that a choice has. */
export interface ChoiceContent {
  calls: boolean;
  refusal: boolean;
  /** True if its call was sent in the legacy form. */
  legacy: boolean;
}

/** Returns the finish reason. A stop with calls becomes `tool_calls`; a length or filter reason stays. */
export function renderReason(
  { reason }: Ending,
  { calls, refusal, legacy }: ChoiceContent,
): ChatFinishReason {
  if (refusal && reason === 'refusal') return 'stop';
  const rendered = reasons[reason];
  if (rendered === 'tool_calls' || (rendered === 'stop' && calls))
    return legacy ? 'function_call' : 'tool_calls';
  return rendered;
}

/** Returns the upstream's explanation of a refusal without text. */
export function lateRefusal({ reason, explanation }: Ending, { refusal }: ChoiceContent): string | undefined {
  return !refusal && (reason === 'refusal' || reason === 'content-filter') ? explanation : undefined;
}

/**
 * Renders all token counts. The prompt includes cache reads and writes; the completion includes reasoning.
 */
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
