import type { RerankRequest } from '@model-gateway/canonical';
import type {
  CohereRerankRequestParams,
  TeiRerankRequestParams,
  VoyageRerankRequestParams,
} from './types.ts';

export function writeCohere(model: string, request: RerankRequest): CohereRerankRequestParams {
  const { query, documents, top, maxTokens } = request;
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}

/** Omits `return_documents`: some upstreams return documents without it, but others do not know the field. */
export function writeJina(model: string, request: RerankRequest): CohereRerankRequestParams {
  const { query, documents, top, maxTokens } = request;
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}

/** Voyage has no limit of tokens for each document. */
export function writeVoyage(
  model: string,
  { query, documents, top }: RerankRequest,
): VoyageRerankRequestParams {
  return { model, query, documents, top_k: top };
}

/** TEI serves one model, returns all ranks and, unlike other APIs, truncates long documents only on request. */
export function writeTei(_model: string, { query, documents }: RerankRequest): TeiRerankRequestParams {
  return { query, texts: documents, raw_scores: false, truncate: true };
}
