import type { RerankRequest } from '@model-gateway/canonical';

/** It has one model, gives all ranks, and refuses long documents unless it may cut them, as others do unasked. */
export function write(_model: string, { query, documents }: RerankRequest) {
  return { query, texts: documents, raw_scores: false, truncate: true };
}
