import { type EmbedAnswer, vectorJson } from '@model-gateway/canonical';
import type { ResultRenderer } from '@model-gateway/ingress';
import type { BatchEmbedAnswer } from '@model-gateway/wire';
import { renderUsage } from '../embed-content/render.ts';

/** Writes the vectors of several contents. */
export const batchRenderer: ResultRenderer<EmbedAnswer> = {
  result: ({ vectors }, usage): BatchEmbedAnswer => ({
    embeddings: vectors.map(vector => ({ values: vectorJson(vector) })),
    ...renderUsage(usage),
  }),
};
