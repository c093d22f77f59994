import { atOnce, type Outcome } from '../delivery.ts';
import { vectorOf } from '../vectors/vector.ts';
import type { EmbedAsked } from './parse.ts';

/** The vector of a request for one. */
export function whole(asked: EmbedAsked): Outcome {
  const [embedding] = vectorsOf(asked);
  return atOnce(asked.model, { embedding, ...usageOf(asked) }, asked.tokens);
}

/** The vectors of a request for many, in their order. */
export function wholeBatch(asked: EmbedAsked): Outcome {
  return atOnce(asked.model, { embeddings: vectorsOf(asked), ...usageOf(asked) }, asked.tokens);
}

function vectorsOf({ wanted }: EmbedAsked) {
  return wanted.map(({ text, dimensions }) => ({ values: [...vectorOf(text, dimensions)] }));
}

function usageOf({ tokens }: EmbedAsked) {
  return {
    usageMetadata: {
      promptTokenCount: tokens,
      promptTokenDetails: [{ modality: 'TEXT', tokenCount: tokens }],
    },
  };
}
