import { bearer } from '../bearer.ts';
import { refuse as refuseChat } from '../chat/error.ts';
import type { Delivering } from '../delivery.ts';
import type { Refusal } from '../refusal.ts';
import { tooMany } from './parse.ts';

/** OpenAI's embeddings, whose errors are those of chat. */
export const embeddings: Delivering = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
  key: bearer,
  refuse,
};

function refuse(refusal: Refusal) {
  const { error } = refuseChat(refusal);
  return { error: { ...error, ...(refusal.code === tooMany && { type: tooMany }) } };
}
