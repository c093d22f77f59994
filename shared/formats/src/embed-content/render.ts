import { arePacked, type EmbedAnswer, type Usage, type Vector, vectorJson } from '@model-gateway/canonical';
import { RenderedPieces, type ResultRenderer } from '../client/endpoint.ts';
import type { BatchEmbedAnswer, EmbedContentAnswer } from './types.ts';

/** Renders the embedding of one content. */
export const contentRenderer: ResultRenderer<EmbedAnswer> = {
  type: 'result',
  result: ({ vectors: [vector = []] }, usage): EmbedContentAnswer => ({
    embedding: { values: vectorJson(vector) },
    ...renderUsage(usage),
  }),
};

/** Renders the usage if it is known. It is optional in this format. */
export function renderUsage(usage: Usage | null) {
  return usage && usage.input > 0 ? { usageMetadata: { promptTokenCount: usage.input } } : {};
}

/** Renders the embeddings of several contents. */
export const batchRenderer: ResultRenderer<EmbedAnswer> = {
  type: 'result',
  result({ vectors }, usage): BatchEmbedAnswer | RenderedPieces {
    const item = (vector: Vector) => ({ values: vectorJson(vector) });
    return arePacked(vectors)
      ? new RenderedPieces({ embeddings: vectors.values().map(item), ...renderUsage(usage) })
      : { embeddings: vectors.map(item), ...renderUsage(usage) };
  },
};
