import { arePacked, type EmbedAnswer, type Vector, vectorBase64, vectorJson } from '@model-gateway/canonical';
import { RenderedPieces, type ResultRenderer } from '../client/endpoint.ts';
import type { EmbeddingsAnswer, VectorForm } from './types.ts';

/** The fields of a request that affect how its response is rendered. */
export interface EmbeddingsAnswerOptions extends VectorForm {
  model: string;
}

export function embeddingsRenderer({
  model,
  encoding,
  numbers,
}: EmbeddingsAnswerOptions): ResultRenderer<EmbedAnswer> {
  const writeFloats = encoding === 'base64' ? vectorBase64 : vectorJson;
  const write = numbers === undefined ? writeFloats : asIs;
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

/** Returns a vector of other numbers than 32-bit floats as the upstream sent it. */
function asIs(vector: Vector): number[] | string {
  return typeof vector === 'string' ? vector : vectorJson(vector);
}
