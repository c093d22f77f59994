import { arePacked, type EmbedAnswer, type Vector, vectorBase64, vectorJson } from '@model-gateway/canonical';
import { RenderedPieces, type ResultRenderer } from '@model-gateway/ingress';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '@model-gateway/wire';

/** The fields of a request that affect how its response is rendered. */
export interface EmbeddingsAnswerOptions {
  model: string;
  encoding: EmbeddingsRequest['encoding_format'];
}

export function embeddingsRenderer({
  model,
  encoding,
}: EmbeddingsAnswerOptions): ResultRenderer<EmbedAnswer> {
  const write = encoding === 'base64' ? vectorBase64 : vectorJson;
  return {
    type: 'result',
    result({ vectors, ...answer }, usage): EmbeddingsAnswer | RenderedPieces {
      const tokens = usage?.input ?? 0;
      const item = (vector: Vector, index: number): EmbeddingsAnswer['data'][number] => ({
        object: 'embedding',
        index,
        embedding: write(vector),
      });
      const body = { object: 'list', model: answer.model || model } as const;
      const usageField = { usage: { prompt_tokens: tokens, total_tokens: tokens } };
      return arePacked(vectors)
        ? new RenderedPieces({ ...body, data: vectors.values().map(item), ...usageField })
        : { ...body, data: vectors.map(item), ...usageField };
    },
  };
}
