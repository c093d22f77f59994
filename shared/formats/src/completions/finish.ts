import type { FinishReason } from '@model-gateway/canonical';
import type { ReasonList } from '@model-gateway/providers/finish-reasons';

/** The format's finish reasons, and the meaning of each. */
export const completionsReasons = {
  of: 'completions',
  source: 'https://platform.openai.com/docs/api-reference/completions/object',
  reasons: { stop: 'stop', length: 'length', content_filter: 'content-filter' },
} as const satisfies ReasonList;

export type CompletionFinishReason = keyof typeof completionsReasons.reasons;

/** The finish reason that clients are told for each canonical one. */
export const toldReasons: Record<FinishReason, CompletionFinishReason> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  'tool-calls': 'stop',
  length: 'length',
  pause: 'length',
  other: 'length',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
};
