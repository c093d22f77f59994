import type { RerankRequest } from '@model-gateway/canonical';

/** Some would show each document again unless they are told not to, and others do not know how to be told. */
export function write(model: string, { query, documents, top, maxTokens }: RerankRequest) {
  return { model, query, documents, top_n: top, max_tokens_per_doc: maxTokens };
}
