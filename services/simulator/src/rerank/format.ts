import { bearer } from '../bearer.ts';
import { refuse } from '../chat/error.ts';
import type { Delivering } from '../delivery.ts';

/** Reranking as Jina and vLLM have it, with errors as vLLM's, which are those of chat. */
export const rerank: Delivering = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  refuse,
};
