import type { Answer } from '../mind/answer.ts';
import type { CompletionsAsked } from './parse.ts';

/** The fields that a whole answer and every chunk of a streamed one have in common. */
export function headOf({ prompt: { model } }: CompletionsAsked, { id, created }: Answer) {
  return {
    id: `cmpl-${id}`,
    object: 'text_completion' as const,
    created,
    model,
    system_fingerprint: 'fp_5e1f0c2a9b',
  };
}
