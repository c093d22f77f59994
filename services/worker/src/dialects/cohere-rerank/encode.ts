import type { RerankRequest } from '@model-gateway/canonical';

export function write(model: string, { query, documents, top, maxTokens }: RerankRequest) {
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}
