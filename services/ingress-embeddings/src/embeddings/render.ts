import { type EmbedAnswer, vectorBase64, vectorJson } from '@model-gateway/canonical';
import type { ResultRenderer } from '@model-gateway/ingress';
import type { EmbeddingsAnswer, EmbeddingsRequest } from '@model-gateway/wire';

export function embeddingsRenderer({
  model,
  encoding_format: encoding,
}: EmbeddingsRequest): ResultRenderer<EmbedAnswer> {
  const write = encoding === 'base64' ? vectorBase64 : vectorJson;
  return {
    result(answer, usage): EmbeddingsAnswer {
      const tokens = usage?.input ?? 0;
      return {
        object: 'list',
        model: answer.model || model,
        data: answer.vectors.map((vector, index) => ({
          object: 'embedding',
          index,
          embedding: write(vector),
        })),
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    },
  };
}
