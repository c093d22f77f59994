import type { Ending, FinishReason } from '@model-gateway/canonical';

/** Why an answer is not whole; null for one that is. */
const incomplete: Record<FinishReason, string | null> = {
  stop: null,
  'stop-sequence': null,
  'tool-calls': null,
  other: null,
  length: 'max_output_tokens',
  // The turn is not over, and the client should not take it for whole.
  pause: 'max_output_tokens',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
};

/** `refused`: the answer holds the model's words for why it gives none, which are a whole answer. */
export function renderIncomplete({ reason }: Ending, refused: boolean): { reason: string } | null {
  const why = refused && reason === 'refusal' ? null : incomplete[reason];
  return why === null ? null : { reason: why };
}

/** The upstream's explanation of a refusal that it gave no text for. */
export function lateRefusal({ reason, explanation }: Ending, refused: boolean): string | undefined {
  const refuses = reason === 'refusal' || reason === 'content-filter';
  return refuses && !refused && explanation ? explanation : undefined;
}
