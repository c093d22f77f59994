import type { Ending, FinishReason } from '@model-gateway/canonical';
import type { ReasonList } from '@model-gateway/providers/finish-reasons';

/** The statuses that end a response and the reasons of incomplete ones, and the meaning of each. */
export const responsesReasons = {
  of: 'responses',
  source: 'https://platform.openai.com/docs/api-reference/responses/object',
  reasons: {
    completed: 'stop',
    incomplete: 'length',
    max_output_tokens: 'length',
    content_filter: 'content-filter',
    // The two are in the types of the SDK for JavaScript, 7.55.0.
    max_messages: 'other',
    steered: 'other',
    failed: { fails: 'upstream' },
    cancelled: { fails: 'upstream' },
  },
} as const satisfies ReasonList;

/** The reason of an incomplete response that clients are told for each canonical one; null for a complete response. */
export const incompleteReasons: Record<FinishReason, 'max_output_tokens' | 'content_filter' | null> = {
  stop: null,
  'stop-sequence': null,
  'tool-calls': null,
  length: 'max_output_tokens',
  other: 'max_output_tokens',
  // The turn is not over, so the client must not treat the response as complete.
  pause: 'max_output_tokens',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
};

/** Renders `incomplete_details`. `refused` is true if the response has the text of a refusal: it is then complete. */
export function renderIncomplete({ reason }: Ending, refused: boolean): { reason: string } | null {
  const detail = refused && reason === 'refusal' ? null : incompleteReasons[reason];
  return detail === null ? null : { reason: detail };
}

/** Returns the upstream's explanation of a refusal without text. */
export function lateRefusal({ reason, explanation }: Ending, refused: boolean): string | undefined {
  const refuses = reason === 'refusal' || reason === 'content-filter';
  return refuses && !refused && explanation ? explanation : undefined;
}
