import type { RerankRequest } from '@model-gateway/canonical';

export function writeCohere(model: string, { query, documents, top, maxTokens }: RerankRequest) {
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}

/** Some would show each document again unless they are told not to, and others do not know how to be told. */
export function writeJina(model: string, { query, documents, top, maxTokens }: RerankRequest) {
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}

/** It has one model, gives all ranks, and refuses long documents unless it may cut them, as others do unasked. */
export function writeTei(_model: string, { query, documents }: RerankRequest) {
  return { query, texts: documents, raw_scores: false, truncate: true };
}
