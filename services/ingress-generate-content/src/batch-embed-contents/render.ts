import { arePacked, type EmbedAnswer, type Vector, vectorJson } from '@model-gateway/canonical';
import { RenderedPieces, type ResultRenderer } from '@model-gateway/ingress';
import type { BatchEmbedAnswer } from '@model-gateway/wire';
import { renderUsage } from '../embed-content/render.ts';

/** Writes the vectors of several contents. */
export const batchRenderer: ResultRenderer<EmbedAnswer> = {
  result({ vectors }, usage): BatchEmbedAnswer | RenderedPieces {
    const item = (vector: Vector) => ({ values: vectorJson(vector) });
    return arePacked(vectors)
      ? new RenderedPieces({ embeddings: vectors.values().map(item), ...renderUsage(usage) })
      : { embeddings: vectors.map(item), ...renderUsage(usage) };
  },
};
