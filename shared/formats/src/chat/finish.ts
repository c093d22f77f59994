import type { Ending, FinishReason } from '@model-gateway/canonical';
import type { ReasonList } from '@model-gateway/providers/finish-reasons';

/** The format's finish reasons, and the meaning of each. */
export const chatReasons = {
  of: 'chat',
  source: 'https://platform.openai.com/docs/api-reference/chat/object',
  reasons: {
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool-calls',
    function_call: 'tool-calls',
    content_filter: 'content-filter',
  },
} as const satisfies ReasonList;

export type ChatFinishReason = keyof typeof chatReasons.reasons;

/** The finish reason that clients are told for each canonical one. */
const told: Record<FinishReason, ChatFinishReason> = {
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
  const rendered = told[reason];
  if (rendered === 'tool_calls' || (rendered === 'stop' && calls))
    return legacy ? 'function_call' : 'tool_calls';
  return rendered;
}

/** Returns the upstream's explanation of a refusal without text. */
export function lateRefusal({ reason, explanation }: Ending, { refusal }: ChoiceContent): string | undefined {
  return !refusal && (reason === 'refusal' || reason === 'content-filter') ? explanation : undefined;
}
