import type { RerankRequest } from '@model-gateway/canonical';

export function writeCohere(model: string, { query, documents, top, maxTokens }: RerankRequest) {
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}

/** Omits `return_documents`: some upstreams return documents without it, but others do not know the field. */
export function writeJina(model: string, { query, documents, top, maxTokens }: RerankRequest) {
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}

/** TEI serves one model, returns all ranks and, unlike other APIs, truncates long documents only on request. */
export function writeTei(_model: string, { query, documents }: RerankRequest) {
  return { query, texts: documents, raw_scores: false, truncate: true };
}
