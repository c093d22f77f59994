import { type EmbedAnswer, type Usage, vectorJson } from '@model-gateway/canonical';
import type { ResultRenderer } from '@model-gateway/ingress';
import type { EmbedContentAnswer } from '@model-gateway/wire';

/** Writes the vector of one content. */
export const contentRenderer: ResultRenderer<EmbedAnswer> = {
  result: ({ vectors: [vector = []] }, usage): EmbedContentAnswer => ({
    embedding: { values: vectorJson(vector) },
    ...renderUsage(usage),
  }),
};

/** Not all vendors tell it, and the format need not. */
export function renderUsage(usage: Usage | null) {
  return usage && usage.input > 0 ? { usageMetadata: { promptTokenCount: usage.input } } : {};
}
