import type { Answer } from '../mind/answer.ts';
import type { ChatAsked } from './parse.ts';

/** The fields that a whole answer and every chunk of a streamed one have in common. */
export function headOf(
  asked: ChatAsked,
  answer: Answer,
  object: 'chat.completion' | 'chat.completion.chunk',
) {
  return {
    id: `chatcmpl-${answer.id}`,
    object,
    created: answer.created,
    model: asked.model,
    service_tier: asked.serviceTier,
    system_fingerprint: 'fp_5e1f0c2a9b',
  };
}
